const PROBE_TIMEOUT_MS = 1_000;

/** Whether a GET is answered with a status of success within a second. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await get(url, PROBE_TIMEOUT_MS);
    return response.ok;
  } catch {
    return false;
  }
}

/** Whether a server accepts a GET and does not answer it in time. One that refuses connections is not silent. */
export async function isSilent(url: string, timeoutMs: number): Promise<boolean> {
  try {
    await get(url, timeoutMs);
    return false;
  } catch (error) {
    return error instanceof DOMException && error.name === 'TimeoutError';
  }
}

async function get(url: string, timeoutMs: number): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  await response.arrayBuffer();
  return response;
}
