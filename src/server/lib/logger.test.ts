import { Writable } from 'node:stream';
import { DrizzleQueryError } from 'drizzle-orm';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { LOGGER_OPTIONS } from './logger';

function capture() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: pino({ level: 'trace', ...LOGGER_OPTIONS }, stream), lines };
}

describe('logger', () => {
  it('removes secrets by name at any depth, in children and arrays too', () => {
    const { log, lines } = capture();
    log.info(
      {
        authorization: 'hunter2',
        body: { password: 'hunter2', items: [{ api_token: 'hunter2' }], new_password: 'hunter2' },
        headers: { Cookie: 'hunter2', 'set-cookie': ['hunter2'] },
        user: { refresh_token: 'hunter2', secret_key: 'hunter2', name: 'kept' },
      },
      'message',
    );
    log.child({ token: 'hunter2', request_id: 'kept' }).warn('child');
    expect(lines.join('')).not.toContain('hunter2');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', msg: 'message', user: { name: 'kept' } });
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ request_id: 'kept', token: '[redacted]' });
  });

  it('keeps what only sounds like a secret', () => {
    const { log, lines } = capture();
    log.info({ has_api_token: true, flow_key: 'a', client_token: null, counts: { tokens: 3 } });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      has_api_token: true,
      flow_key: 'a',
      client_token: null,
      counts: { tokens: 3 },
    });
  });

  it('shows an error with its causes but without query parameters', () => {
    const { log, lines } = capture();
    const driver = Object.assign(new Error('duplicate key'), {
      code: '23505',
      constraint_name: 'users_email_key',
      detail: 'hunter2',
    });
    const error = new DrizzleQueryError('insert into users values ($1)', ['hunter2'], driver);
    log.error({ err: error }, 'failed');
    expect(lines.join('')).not.toContain('hunter2');
    expect(JSON.parse(lines[0] ?? '').err).toMatchObject({
      message: 'Failed query: insert into users values ($1)',
      query: 'insert into users values ($1)',
      cause: { code: '23505', constraint: 'users_email_key', message: 'duplicate key' },
    });
    expect(JSON.parse(lines[0] ?? '').err.stack).toMatch(/^\s+at /);
  });

  it('survives causes that go in circles and things that are no errors', () => {
    const { log, lines } = capture();
    const error = new Error('outer');
    error.cause = error;
    log.error({ err: error });
    log.error({ err: 'text' });
    log.error({ err: undefined });
    expect(lines).toHaveLength(3);
  });
});
