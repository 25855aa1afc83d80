import fc from 'fast-check';
import { expect, test } from 'vitest';
import { followEvents, makeEventParser, type ServerEvent } from './event-stream';

function parse(pieces: readonly string[]) {
  const events: ServerEvent[] = [];
  const feed = makeEventParser((event) => events.push(event));
  for (const piece of pieces) feed(piece);
  return events;
}

test('fields, comments, several data lines, all three line ends', () => {
  const text =
    ': hello\n\nid: 7\nevent: sync_run.progress\r\ndata: {"a":1}\r\ndata:  b\n\ndata: x\r\rretry: 10\n\ndata: unfinished\n';
  expect(parse([text])).toEqual([
    { id: '7', type: 'sync_run.progress', data: '{"a":1}\n b' },
    { id: '7', type: 'message', data: 'x' },
  ]);
});

test('the events are the same however the text is cut', () => {
  const part = fc.constantFrom('id: 1', 'event: e', 'data: x', 'data:', ': c', '', '', 'data: y: z', 'nonsense');
  const stream = fc.array(fc.tuple(part, fc.constantFrom('\n', '\r\n')), { maxLength: 40 });
  fc.assert(
    fc.property(stream, fc.array(fc.nat(400)), (lines, cuts) => {
      const text = lines.map(([content, end]) => content + end).join('');
      const at = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((a, b) => a - b);
      const pieces = [0, ...at].map((from, i) => text.slice(from, at[i] ?? text.length));
      expect(parse(pieces)).toEqual(parse([text]));
    }),
  );
});

test('an endless event is refused', () => {
  const feed = makeEventParser(() => undefined, 100);
  expect(() => feed(`data: ${'x'.repeat(200)}`)).toThrow('too large');
});

const body = (...chunks: string[]) =>
  new Response(chunks.join(''), { headers: { 'content-type': 'text/event-stream' } });

test('reconnects with growing delays, resumes after the last id, and resets the delay once data arrives', async () => {
  const answers = [
    () => body('id: a\ndata: 1\n\n'),
    () => Promise.reject(new TypeError('down')),
    () => new Response('', { status: 503 }),
    () => body('id: b\ndata: 2\n\n'),
    () => new Response('', { status: 401 }),
  ];
  const asked: string[] = [];
  const delays: number[] = [];
  let opens = 0;
  const seen: string[] = [];
  await followEvents(
    {
      open: async (lastId) => {
        asked.push(lastId);
        return await (answers.shift() as () => Response | Promise<Response>)();
      },
      onEvent: (event) => seen.push(event.data),
      onOpen: () => {
        opens += 1;
      },
      onLost: (delay) => delays.push(delay),
      wait: async () => undefined,
      random: () => 1,
    },
    new AbortController().signal,
  );
  expect(seen).toEqual(['1', '2']);
  expect(asked).toEqual(['', 'a', 'a', 'a', 'b']);
  expect(delays).toEqual([1000, 2000, 4000, 1000]);
  expect(opens).toBe(2);
});

test('stops when aborted, also during a read', async () => {
  const stop = new AbortController();
  let cancelled = false;
  const done = followEvents(
    {
      open: async (_lastId, signal) => {
        const stream = new ReadableStream<Uint8Array>({
          start: (controller) => {
            signal.addEventListener('abort', () => {
              cancelled = true;
              controller.error(new DOMException('aborted', 'AbortError'));
            });
          },
        });
        queueMicrotask(() => stop.abort());
        return new Response(stream);
      },
      onEvent: () => undefined,
      onOpen: () => undefined,
      onLost: () => undefined,
      wait: async () => undefined,
    },
    stop.signal,
  );
  await done;
  expect(cancelled).toBe(true);
});
