// What a script tells the program that runs it: one line of JSON a step, on standard output.
//
//   {"spoke": "2025-11-25"}                     the revision that the client has settled on
//   {"step": "call"}                            done, and all of it was as it must be
//   {"step": "call", "fault": "..."}            not so
//   {"step": "complete", "refused": "..."}      the client cannot, and this is what it says

import assert from 'node:assert/strict';

/** How long one step may take, in milliseconds: many times what it does take. */
const longest = 60_000;

// What a client says to people goes to the other stream.
console.log = console.info = console.debug = console.error;

function say(line) {
  process.stdout.write(JSON.stringify(line) + '\n');
}

/** Tells which revision the client speaks. */
export function spoke(version) {
  say({ spoke: version });
}

/** Runs one step. What it throws is its fault, and the steps behind it run all the same. */
export async function step(name, run) {
  try {
    await within(longest, run());
    say({ step: name });
  } catch (error) {
    say({ step: name, fault: String(error?.message ?? error) });
  }
}

/** Tells of a step that the client cannot do. run has to show so: it returns how the client refused. */
export async function cannot(name, run) {
  try {
    const refused = await within(longest, run());
    assert.ok(refused, 'the client did not refuse');
    say({ step: name, refused: String(refused) });
  } catch (error) {
    say({ step: name, fault: String(error?.message ?? error) });
  }
}

/** Returns what the promise is rejected with, which it has to be. */
export async function refusal(promise) {
  let result;
  try {
    result = await promise;
  } catch (error) {
    return error;
  }
  assert.fail(`it was not refused: ${JSON.stringify(result)}`);
}

/** Waits until check holds, for half the time of a step. */
export async function until(check) {
  const end = Date.now() + longest / 2;
  while (!(await check())) {
    assert.ok(Date.now() < end, `it did not come: ${check}`);
    await new Promise((next) => setTimeout(next, 20));
  }
}

/** The promise, or a fault when it takes longer. */
function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
