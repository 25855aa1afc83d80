import { describe, expect, it } from 'vitest';
import { mayReadMetrics } from './health-server';

describe('mayReadMetrics', () => {
  it.each(['127.0.0.1:9100', '[::1]:9100', '10.0.0.7:9100', 'localhost:9100', 'worker:9100', 'fabric-worker'])(
    'answers monitoring that asks %s',
    (host) => expect(mayReadMetrics({ host })).toBe(true),
  );

  it.each(['evil.test:9100', 'localhost.evil.test', '127.0.0.1.evil.test', '', 'a/b'])(
    'refuses %j, the name of another site',
    (host) => expect(mayReadMetrics({ host, authorization: 'Bearer anything' })).toBe(false),
  );
});
