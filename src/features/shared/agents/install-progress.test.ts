import { describe, expect, it } from 'vitest';
import { installProgress, isLoopbackAddress } from './install-progress';

const old = '2026-01-01T00:00:00.000Z';
const enrolled_at = '2026-06-01T12:00:00.000Z';
const later = '2026-06-01T12:00:30.000Z';

describe('installProgress', () => {
  it('goes from the token to the first heartbeat', () => {
    expect(installProgress(undefined, null)).toBe('waiting');
    expect(installProgress({ status: null, enrolled_at: null, last_heartbeat_at: null }, null)).toBe('waiting');
    expect(installProgress({ status: 'pending', enrolled_at, last_heartbeat_at: null }, null)).toBe('enrolled');
    expect(installProgress({ status: 'ok', enrolled_at, last_heartbeat_at: later }, null)).toBe('reporting');
    expect(installProgress({ status: 'degraded', enrolled_at, last_heartbeat_at: later }, old)).toBe('reporting');
  });

  it('does not take the agent that was there before for the new one', () => {
    expect(installProgress({ status: 'ok', enrolled_at: old, last_heartbeat_at: later }, old)).toBe('waiting');
    expect(installProgress({ status: 'pending', enrolled_at, last_heartbeat_at: old }, old)).toBe('enrolled');
  });
});

it('knows addresses that no other machine can reach', () => {
  for (const url of ['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443', 'http://fabric.localhost']) {
    expect(isLoopbackAddress(url)).toBe(true);
  }
  for (const url of ['https://fabric.example', 'http://10.0.0.1:3000', 'nonsense'])
    expect(isLoopbackAddress(url)).toBe(false);
});
