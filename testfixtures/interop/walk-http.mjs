// The part of the walk that only Streamable HTTP has.

export async function steps() {}
