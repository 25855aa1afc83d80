import { describe, expect, it } from 'vitest';
import { getServicePort } from './service-port';

const getPort = (source_port: number | null, destination_port: number | null, initiator?: 'source' | 'destination') =>
  getServicePort({ source_port, destination_port, initiator });

describe('getServicePort', () => {
  it('believes who opened the conversation', () => {
    expect(getPort(443, 50_000, 'source')).toEqual({ service_port: 50_000, reply: false });
    expect(getPort(50_001, 50_000, 'destination')).toEqual({ service_port: 50_001, reply: true });
  });

  it('takes an ephemeral port for the caller', () => {
    expect(getPort(50_000, 443)).toEqual({ service_port: 443, reply: false });
    expect(getPort(443, 50_000)).toEqual({ service_port: 443, reply: true });
    expect(getPort(123, 123)).toEqual({ service_port: 123, reply: false });
    expect(getPort(50_000, 50_001)).toEqual({ service_port: null, reply: false });
  });

  it('knows protocols without ports', () => {
    expect(getPort(null, null)).toEqual({ service_port: null, reply: false });
    expect(getPort(null, null, 'destination')).toEqual({ service_port: null, reply: true });
    expect(getPort(null, 50_000)).toEqual({ service_port: null, reply: false });
  });
});
