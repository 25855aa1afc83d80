import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../lib/errors';
import { ProviderError } from '../providers/hypervisor/errors';
import { fieldErrors, problemResponse, toAppError } from './problem';

const listErrors = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value);
  return error ? fieldErrors(error) : [];
};

describe('fieldErrors', () => {
  const schema = z.strictObject({
    name: z.string(),
    size: z.int('A whole number.'),
    list: z.array(z.strictObject({ on: z.boolean() })),
  });

  it('names the place by a dotted path and says what to send', () => {
    expect(listErrors(schema, { size: 'x', list: [{ on: true }, { on: 1, off: 2 }], extra: 1 })).toEqual([
      { field: 'name', message: 'Missing. Send a string.' },
      { field: 'size', message: 'A whole number.' },
      { field: 'list.1.on', message: 'Send a boolean, not number.' },
      { field: 'list.1.off', message: 'Unknown field. Remove it or check its spelling.' },
      { field: 'extra', message: 'Unknown field. Remove it or check its spelling.' },
    ]);
    expect(listErrors(schema, [])).toEqual([{ field: 'body', message: 'Send an object, not array.' }]);
  });

  it('never repeats a value and stays short', () => {
    const long = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field${i}`, 'hunter2']));
    const errors = listErrors(schema, long);
    expect(errors.length).toBeLessThan(100);
    expect(JSON.stringify(errors)).not.toContain('hunter2');
  });
});

describe('toAppError, of a fault elsewhere', () => {
  it('tells a fault of the hypervisor with its remedy, also when its cause looks like a fault of the database', () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const error = new ProviderError('unreachable', 'pve1 refused the connection', 'Start the node.', {
      cause: refused,
    });
    expect(toAppError(error)).toMatchObject({ status: 502, message: 'pve1 refused the connection. Start the node.' });
    expect(toAppError(new ProviderError('timeout', 'Silence.', 'Wait.'))).toMatchObject({ status: 504 });
    expect(toAppError(refused)).toMatchObject({ status: 503 });
  });
});

describe('problemResponse', () => {
  it('carries extras and when to try again, and never the cause', async () => {
    const error = new AppError('too_many_requests', 'Wait.', {
      cause: new Error('hunter2'),
      extra: { policy_mode: 'audit' },
      retryAfterSeconds: 7,
    });
    const response = problemResponse(error, 'request-1');
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.json()).toEqual({
      type: 'urn:fabric:problem:too-many-requests',
      title: 'Too many requests',
      status: 429,
      code: 'too_many_requests',
      detail: 'Wait.',
      policy_mode: 'audit',
      retry_after: 7,
      request_id: 'request-1',
    });
  });

  it('does not let an extra replace what the problem says about itself', () => {
    const response = problemResponse(new AppError('conflict', 'No.', { extra: { status: 200, code: 'ok' } }), 'r');
    expect(response.status).toBe(409);
  });
});

describe('toAppError', () => {
  it.each([
    [{ code: '23505', severity: 'ERROR', constraint_name: 'users_email_key' }, 'conflict'],
    [{ code: '23P01', severity: 'ERROR' }, 'conflict'],
    [{ code: '57P01', severity: 'FATAL' }, 'unavailable'],
    [{ code: 'CONNECT_TIMEOUT' }, 'unavailable'],
    [{ code: '22P05', severity: 'ERROR' }, 'internal'],
    [{}, 'internal'],
  ])('reads %j as %s, however deep it is wrapped', (fields, code) => {
    const inner = Object.assign(new Error('secret detail'), fields);
    for (const error of [inner, new Error('wrapped', { cause: new Error('twice', { cause: inner }) })]) {
      expect(toAppError(error).code).toBe(code);
      expect(toAppError(error).message).not.toContain('secret detail');
    }
  });
});
