import { describe, expect, it } from 'vitest';
import { portOfService } from './port-of-service';

const of = (source_port: number | null, destination_port: number | null, initiator?: 'source' | 'destination') =>
  portOfService({ source_port, destination_port, initiator });

describe('portOfService', () => {
  it('believes who opened the conversation', () => {
    expect(of(443, 50_000, 'source')).toEqual({ service_port: 50_000, reply: false });
    expect(of(50_001, 50_000, 'destination')).toEqual({ service_port: 50_001, reply: true });
  });

  it('takes an ephemeral port for the caller', () => {
    expect(of(50_000, 443)).toEqual({ service_port: 443, reply: false });
    expect(of(443, 50_000)).toEqual({ service_port: 443, reply: true });
    expect(of(123, 123)).toEqual({ service_port: 123, reply: false });
    expect(of(50_000, 50_001)).toEqual({ service_port: null, reply: false });
  });

  it('knows protocols without ports', () => {
    expect(of(null, null)).toEqual({ service_port: null, reply: false });
    expect(of(null, null, 'destination')).toEqual({ service_port: null, reply: true });
    expect(of(null, 50_000)).toEqual({ service_port: null, reply: false });
  });
});
