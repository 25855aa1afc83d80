import { onTestFinished } from 'vitest';
import type { ClusterAccess } from '../../types';
import { PveClient } from '../client';
import type { ClientOptions } from '../client-options';
import type { RenewedCertificate } from '../entry-node';
import { type ApiServer, authority } from './api-server.fixture';

export const TOKEN = 'svc@pve!fabric=2f0c1a77-9d1e-4f0b-8a54-0d5b0e6f3c11';
export const LOOPBACK = ['127.0.0.0/8', '::1/128'];

let keys = 0;

/** How to reach test servers: the first is the cluster's address, the others its further entry points. */
export function makeAccess(servers: Pick<ApiServer, 'url'>[], changes: Partial<ClusterAccess> = {}): ClusterAccess {
  const [first, ...others] = servers;
  return {
    key: `test-${++keys}`,
    api_url: first?.url ?? '',
    api_token: TOKEN,
    tls_fingerprint: null,
    tls_ca: authority.caPem,
    entry_points: others.map(({ url }, i) => ({ node: `pve${i + 2}`, url, fingerprint: null })),
    ...changes,
  };
}

export type TestClient = PveClient & { renewed: RenewedCertificate[]; clock: { time: number } };

/** A client with a clock of its own and no pauses; closed when the test ends. */
export function testClient(access: ClusterAccess, changes: Partial<ClientOptions> = {}): TestClient {
  const clock = { time: Date.now() };
  const renewed: RenewedCertificate[] = [];
  const client = new PveClient({
    access,
    allowTargets: LOOPBACK,
    clock: { now: () => new Date(clock.time) },
    logger: { info: () => {}, warn: () => {} },
    onCertificateRenewed: (r) => renewed.push(r),
    pause: async () => {},
    ...changes,
  });
  onTestFinished(() => client.close());
  return Object.assign(client, { renewed, clock });
}
