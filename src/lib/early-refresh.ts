/*
 * The first refresh of a page, sent while its scripts are still on their way: the token then arrives with the code, not after it. The
 * script is in the head of every document, with the nonce of its answer; `Session` takes over what it was answered. It refreshes under
 * the lock that all tabs share. Where the browser has no such lock (plain HTTP), it does nothing, and the session refreshes itself.
 */

const NAME = 'fabricEarlyRefresh';
/** As long as the session waits for an answer. */
export const REFRESH_TIMEOUT_MS = 15_000;

/** A refresh as it was answered; the body was read under the lock. */
export type EarlyAnswer = { response: Response; text: string };
type Early = { [NAME]?: Promise<EarlyAnswer> };

/** Text, because it runs before any module. @param lock name of the lock of `tab-lock.ts` */
export const earlyRefreshScript = (lock: string): string =>
  String.raw`(() => {
  const { locks } = navigator;
  if (!locks) return;
  window.${NAME} = locks.request(${JSON.stringify(lock)}, async () => {
    const response = await fetch('/api/v1/auth/refresh', {
      method: 'POST',
      credentials: 'same-origin',
      cache: 'no-store',
      keepalive: true,
      signal: AbortSignal.timeout(${REFRESH_TIMEOUT_MS}),
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    return { response, text: await response.text() };
  });
  window.${NAME}.catch(() => {});
})();`;

/** The answer, once: taking it removes it from the page. Null without one, also when none came. */
export async function consumeEarlyAnswer(from: object = window): Promise<EarlyAnswer | null> {
  const early = (from as Early)[NAME];
  delete (from as Early)[NAME];
  return (await early?.catch(() => null)) ?? null;
}
