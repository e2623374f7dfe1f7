// Keeps what a client sends over HTTP, and how it was answered.

export function recording() {
  const requests = [];
  return {
    requests,
    async fetch(url, init) {
      const headers = Object.fromEntries(new Headers(init?.headers));
      const request = { method: init?.method ?? 'GET', headers, body: init?.body && JSON.parse(init.body) };
      requests.push(request);
      const response = await fetch(url, init);
      request.status = response.status;
      request.type = response.headers.get('content-type');
      return response;
    },
  };
}
