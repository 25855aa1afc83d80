/** The reader of a stream wants no more of it. */
class ReaderLeftError extends Error {}

/**
 * What is produced by calls as a stream: `give` waits until the reader asks for the next, so that memory does not grow with what is
 * produced. When the reader leaves early, `give` throws and the stream ends after `produce` has cleaned up; when `produce` fails,
 * so does the stream.
 */
export async function* handOver<T>(
  produce: (give: (value: T) => Promise<void>) => Promise<void>,
): AsyncGenerator<T, void, undefined> {
  let offered: { value: T; taken: () => void; refuse: (reason: Error) => void } | null = null;
  let left = false;
  let ended = false;
  let wake = () => {};
  const give = (value: T) =>
    new Promise<void>((taken, refuse) => {
      if (left) return refuse(new ReaderLeftError('the client disconnected'));
      offered = { value, taken, refuse };
      wake();
    });
  const production = produce(give).finally(() => {
    ended = true;
    wake();
  });
  // The error is reported below; until then nothing handles it.
  production.catch(() => {});
  const next = async () => {
    while (!offered && !ended) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return offered;
  };
  try {
    for (let one = await next(); one; one = await next()) {
      yield one.value;
      offered = null;
      one.taken();
    }
    await production;
  } finally {
    left = true;
    (offered as { refuse: (reason: Error) => void } | null)?.refuse(new ReaderLeftError('the client disconnected'));
    await production.catch(() => {});
  }
}
