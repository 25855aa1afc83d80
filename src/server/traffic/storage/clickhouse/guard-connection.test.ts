import { ClickHouseError } from '@clickhouse/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../lib/errors';
import type { Connection } from './connection';
import { guardConnection, toStorageError } from './guard-connection';
import { raw } from './statement';

const statement = raw('select 2');
const away = new AppError('unavailable', 'not reachable');
const failure = (type: string) => new ClickHouseError({ message: 'Code: 1', code: '1', type });

/** A ClickHouse that counts what it is asked, and answers as the test says. */
function makeServer() {
  const server = { asked: 0, answer: async (): Promise<unknown[]> => [] };
  const ask = async () => {
    server.asked += 1;
    return server.answer();
  };
  const connection: Connection = {
    read: ask as Connection['read'],
    run: async () => void (await ask()),
    insert: async () => void (await ask()),
    stream: async function* <T>() {
      yield (await ask()) as T[];
    },
  };
  return { server, connection };
}

describe('guardConnection', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('prepares once before the first requests, and asks whether a silent server answers', async () => {
    const { server, connection } = makeServer();
    const prepare = vi.fn(async () => undefined);
    const guarded = guardConnection(connection, prepare);
    await Promise.all([guarded.read(statement), guarded.read(statement)]);
    expect([prepare.mock.calls.length, server.asked]).toEqual([1, 3]);
    await guarded.read(statement);
    expect(server.asked).toBe(4);
    vi.advanceTimersByTime(11_000);
    await guarded.read(statement);
    expect([prepare.mock.calls.length, server.asked]).toEqual([1, 6]);
  });

  it('prepares again when it failed', async () => {
    const { connection } = makeServer();
    const prepare = vi.fn(async () => {
      if (prepare.mock.calls.length === 1) throw new AppError('unavailable', 'too old');
    });
    const guarded = guardConnection(connection, prepare);
    await expect(guarded.read(statement)).rejects.toThrow('too old');
    vi.advanceTimersByTime(3_000);
    await guarded.read(statement);
    await guarded.read(statement);
    expect(prepare).toHaveBeenCalledTimes(2);
  });

  it('fails soon when nothing is answered, and asks once for all', async () => {
    const { server, connection } = makeServer();
    server.answer = () => new Promise(() => {});
    const guarded = guardConnection(connection, async () => undefined);
    const asked = Promise.allSettled(Array.from({ length: 20 }, () => guarded.read(statement)));
    await vi.advanceTimersByTimeAsync(3_000);
    for (const one of await asked) {
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', retryAfterSeconds: 30 } });
    }
    await expect(guarded.read(statement)).rejects.toThrow('not reachable');
    expect(server.asked).toBe(1);
  });

  it('asks again two seconds after a failure', async () => {
    const { server, connection } = makeServer();
    server.answer = async () => Promise.reject(away);
    const guarded = guardConnection(connection, async () => undefined);
    const read = async () => {
      for await (const _ of guarded.stream(statement)) expect.unreachable();
    };
    await expect(read()).rejects.toBe(away);
    server.answer = async () => [];
    await expect(guarded.run('select 3')).rejects.toBe(away);
    vi.advanceTimersByTime(2_000);
    await guarded.run('select 3');
  });
});

describe('toStorageError', () => {
  it.each([
    ['AUTHENTICATION_FAILED', 'read', /Check user, password and database in CLICKHOUSE_URL/],
    ['NOT_ENOUGH_SPACE', 'read', /does not work \(NOT_ENOUGH_SPACE\)/],
    ['UNKNOWN_IDENTIFIER', 'insert', /does not work \(UNKNOWN_IDENTIFIER\). Agents keep their flows/],
    ['MEMORY_LIMIT_EXCEEDED', 'read', /Request less data/],
    ['MEMORY_LIMIT_EXCEEDED', 'run', /does not work \(MEMORY_LIMIT_EXCEEDED\)/],
  ] as const)('explains %s of a %s', (type, operation, text) => {
    const error = toStorageError(failure(type), operation) as AppError;
    expect(error.code).toBe('unavailable');
    expect(error.message).toMatch(text);
  });

  it('leaves a wrong statement to the log', () => {
    const error = failure('UNKNOWN_IDENTIFIER');
    expect(toStorageError(error, 'read')).toBe(error);
  });
});
