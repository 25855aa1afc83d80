/** The reader of a stream wants no more of it. */
class ReaderLeftError extends Error {}

/**
 * What is produced by calls as a stream: `give` waits until the reader asks for the next, so that memory does not grow with what is
 * produced. When the reader leaves early, `give` throws and the stream ends after `produce` has cleaned up; when `produce` fails,
 * so does the stream.
 * @param ahead how many values wait for the reader before `give` does: where the producer works while the reader does
 */
export async function* toAsyncGenerator<T>(
  produce: (give: (value: T) => Promise<void>) => Promise<void>,
  ahead = 0,
): AsyncGenerator<T, void, undefined> {
  type Offered = { value: T; taken: () => void; refuse: (reason: Error) => void };
  const offered: Offered[] = [];
  let left = false;
  let ended = false;
  let wake = () => {};
  const give = (value: T) =>
    new Promise<void>((taken, refuse) => {
      if (left) return refuse(new ReaderLeftError('the client disconnected'));
      offered.push({ value, taken, refuse });
      if (offered.length <= ahead) taken();
      wake();
    });
  const production = produce(give).finally(() => {
    ended = true;
    wake();
  });
  // The error is reported below; until then nothing handles it.
  production.catch(() => {});
  const next = async () => {
    while (offered.length === 0 && !ended) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return offered[0];
  };
  try {
    for (let one = await next(); one; one = await next()) {
      yield one.value;
      offered.shift();
      one.taken();
      if (offered.length <= ahead) offered.at(-1)?.taken();
    }
    await production;
  } finally {
    left = true;
    for (const { refuse } of offered) refuse(new ReaderLeftError('the client disconnected'));
    await production.catch(() => {});
  }
}
