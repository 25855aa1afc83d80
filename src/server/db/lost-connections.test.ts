import { describe, expect, it } from 'vitest';
import { onUnhandled } from './lost-connections';

const failure = (code?: string) => Object.assign(new Error('write CONNECTION_CLOSED 127.0.0.1:5432'), { code });

describe('a rejected promise without a handler', () => {
  it.each(['CONNECTION_CLOSED', 'ECONNRESET', '57P01'])(
    'does not end the process for a connection that is gone: %s',
    (code) => {
      expect(() => onUnhandled(failure(code), 1)).not.toThrow();
    },
  );

  it.each([failure('23505'), failure(), new TypeError('x is not a function'), 'a text', undefined])(
    'ends it for anything else, unless others look after it: %s',
    (reason) => {
      let thrown: unknown = 'nothing';
      try {
        onUnhandled(reason, 1);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBe(reason);
      expect(() => onUnhandled(reason, 2)).not.toThrow();
    },
  );
});
