import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fakeClock } from '@/test/fake-clock';
import * as logging from './logger';
import { noteRefusal, type Refusal } from './note-refusal';

const logger = { info: vi.fn(), warn: vi.fn() };
vi.spyOn(logging, 'logger', 'get').mockReturnValue(logger as unknown as typeof logging.logger);

let time: ReturnType<typeof fakeClock>;
let start = Date.parse('2026-01-01T00:00:00Z');
beforeEach(() => {
  logger.info.mockClear();
  logger.warn.mockClear();
  // Each test has a minute of its own.
  start += 3_600_000;
  time = fakeClock(new Date(start));
});
afterEach(() => {
  time.advance(120);
  noteRefusal(refused({ source_address: '203.0.113.255' }));
  time.restore();
});

const refused = (more: Partial<Refusal> = {}): Refusal => ({
  request_id: 'request-1',
  source_address: '192.0.2.1',
  actor_id: null,
  surface: 'rest',
  method: 'GET',
  path: '/users/{user_id}',
  status: 403,
  code: 'forbidden',
  ...more,
});
const listLines = (level: 'info' | 'warn', text = 'request refused') =>
  logger[level].mock.calls.filter(([, message]) => message === text);

it('writes a line for what was not permitted or too often, and a quieter one for who is not signed in', () => {
  noteRefusal(refused({ actor_id: 'ada' }));
  noteRefusal(refused({ status: 429, code: 'too_many_requests' }));
  noteRefusal(refused({ status: 401, code: 'unauthenticated' }));
  expect(listLines('warn').map(([fields]) => fields)).toEqual([
    refused({ actor_id: 'ada' }),
    refused({ status: 429, code: 'too_many_requests' }),
  ]);
  expect(listLines('info')).toHaveLength(1);
});

it.each([200, 302, 400, 404, 409, 422, 500])('has nothing to say about %s', (status) => {
  noteRefusal(refused({ status }));
  expect([...listLines('info'), ...listLines('warn')]).toEqual([]);
});

it('limits a source to 20 lines per minute, not the others, and logs how many were omitted', () => {
  for (let i = 0; i < 1000; i += 1) noteRefusal(refused());
  expect(listLines('warn')).toHaveLength(20);
  noteRefusal(refused({ source_address: '192.0.2.2' }));
  expect(listLines('warn')).toHaveLength(21);
  time.advance(61);
  noteRefusal(refused());
  expect(listLines('warn')).toHaveLength(22);
  expect(listLines('warn', 'further refused requests are not logged')).toEqual([
    [{ left_out: 980 }, 'further refused requests are not logged'],
  ]);
});

it('lets all sources together write no more than 300 lines a minute', () => {
  for (let i = 0; i < 100_000; i += 1) {
    noteRefusal(refused({ source_address: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` }));
  }
  expect(listLines('warn')).toHaveLength(300);
});
