import type { Client } from 'pg';

/** What of the driver's connection COPY needs; its types leave most of it out. */
type Wire = {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
  stream: {
    pause(): void;
    resume(): void;
    destroy(): void;
    writableNeedDrain: boolean;
    once(event: string, listen: () => void): void;
  };
};

/** Bytes that wait for the consumer before the server is asked to pause, and the size of one piece. */
const HIGH_WATER = 4 * 1024 * 1024;

type Submitted = { submit(wire: Wire): void } & Record<string, (...args: never[]) => void>;
const submit = (client: Client, query: Submitted) => client.query(query as unknown as Parameters<Client['query']>[0]);
const ignore = () => {};

/**
 * Runs `COPY … TO STDOUT` and yields its bytes as they come, in pieces of up to a few MiB; the server waits when they
 * are not consumed. A consumer that stops early loses the connection.
 */
export async function* copyOut(client: Client, text: string): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  let paused = false;
  let done = false;
  const failures: unknown[] = [];
  let wake = ignore;
  let wire: Wire | undefined;
  submit(client, {
    submit(connection) {
      wire = connection;
      connection.query(text);
    },
    handleCopyData({ chunk }: { chunk: Buffer }) {
      // The driver uses its buffer again.
      held.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > HIGH_WATER && !paused) {
        paused = true;
        wire?.stream.pause();
      }
      wake();
    },
    handleCommandComplete: ignore,
    handleReadyForQuery() {
      done = true;
      wake();
    },
    handleError(error: unknown) {
      failures.push(error);
      done = true;
      wake();
    },
  });
  try {
    for (;;) {
      if (failures.length > 0) throw failures[0];
      if (bytes > 0) {
        const piece = Buffer.concat(held, bytes);
        held = [];
        bytes = 0;
        if (paused) {
          paused = false;
          wire?.stream.resume();
        }
        yield piece;
      } else if (done) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    if (!done) wire?.stream.destroy();
  }
}

/**
 * Runs `COPY … FROM STDIN` with the bytes given.
 * @throws Error of the server, or of the source: then nothing of it is stored
 */
export function copyIn(client: Client, text: string, source: AsyncIterable<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    const failures: unknown[] = [];
    let ended = false;
    const send = async (wire: Wire) => {
      try {
        for await (const chunk of source) {
          if (ended) return;
          wire.sendCopyFromChunk(chunk);
          if (wire.stream.writableNeedDrain) {
            await new Promise<void>((done) => {
              wire.stream.once('drain', done);
              wire.stream.once('close', done);
            });
          }
        }
        if (!ended) wire.endCopyFrom();
      } catch (error) {
        failures.push(error);
        if (!ended) wire.sendCopyFail('the source failed');
      }
    };
    submit(client, {
      submit: (wire) => wire.query(text),
      handleCopyInResponse: (wire: Wire) => void send(wire),
      handleCommandComplete: ignore,
      handleError(error: unknown) {
        ended = true;
        failures.push(error);
        reject(failures[0]);
      },
      handleReadyForQuery() {
        ended = true;
        if (failures.length > 0) reject(failures[0]);
        else resolve();
      },
    });
  });
}
