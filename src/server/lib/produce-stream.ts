/** Bytes that wait for the reader before the producer has to. */
const HIGH_WATER = 256 * 1024;

/** The reader has gone, or took nothing for too long. */
export class ReaderGoneError extends Error {}

/**
 * A body that is written while it is sent. `write` waits until the reader wants more, so that memory does not grow
 * with what is written, and throws `ReaderGoneError` once the reader is gone; `produce` then cleans up. When `produce`
 * fails, the body is aborted, which a client notices.
 * @param stallMs how long a reader may take nothing
 * @param failed receives the reason why the body was aborted, unless its reader went
 */
export function produceStream(
  produce: (write: (text: string) => Promise<void>) => Promise<void>,
  { stallMs, failed }: { stallMs: number; failed: (error: unknown) => void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let gone = false;
  let wake: () => void = () => {};
  let started = false;

  const run = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const write = async (text: string) => {
      if (gone) throw new ReaderGoneError('the client disconnected');
      controller.enqueue(encoder.encode(text));
      if ((controller.desiredSize ?? 0) > 0) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(() => {
          gone = true;
          controller.error(new ReaderGoneError('the client stopped reading'));
          resolve();
        }, stallMs);
      });
      clearTimeout(timer);
      if (gone) throw new ReaderGoneError('the client disconnected');
    };
    try {
      await produce(write);
      if (!gone) controller.close();
    } catch (error) {
      if (gone) return;
      gone = true;
      failed(error);
      controller.error(error);
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        wake();
        if (started) return;
        started = true;
        // Not awaited: the stream would not ask again before it ends.
        void run(controller);
      },
      cancel() {
        gone = true;
        wake();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER }),
  );
}
