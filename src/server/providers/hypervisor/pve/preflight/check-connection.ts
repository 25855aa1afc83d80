import { ProviderError } from '../../errors';
import type { PreflightCheck } from '../../types';
import type { PveClient } from '../client';
import type { TrustBasis } from '../http/certificate-trust';
import { fromError, line, ok } from './check-line';

export type ConnectionReport = { checks: PreflightCheck[]; fingerprint: string | null; connected: boolean };

const TRUST: Record<TrustBasis, string> = {
  pin: 'The certificate matches the pinned one',
  cluster_ca: "The certificate was issued by the cluster's own CA",
  system_ca: 'The certificate is trusted by the system’s certificate authorities',
  other_node: 'The pinned certificate was renewed; another node of the cluster confirmed the new one',
};

const skipped = (name: string) => line(name, 'unknown', 'Not checked, because there is no connection', null);

/** Which of the steps to a trusted connection an error belongs to. */
function toFailedStep(error: unknown): 'target' | 'reachable' | 'tls' {
  const code = error instanceof ProviderError ? error.code : null;
  if (code === 'target_refused') return 'target';
  return code === 'tls_changed' || code === 'tls_untrusted' ? 'tls' : 'reachable';
}

function failedAt(step: ReturnType<typeof toFailedStep>, host: string, error: unknown): PreflightCheck[] {
  const allowed = ok('target', `${host} is an allowed target`);
  switch (step) {
    case 'target':
      return [fromError('target', 'failed', error), skipped('reachable'), skipped('tls')];
    case 'reachable':
      return [allowed, fromError('reachable', 'failed', error), skipped('tls')];
    case 'tls':
      return [allowed, ok('reachable', `${host} accepts connections`), fromError('tls', 'failed', error)];
  }
}

/** The way to the cluster's address: allowed, reachable, trusted. Sends nothing. */
export async function checkConnection(client: PveClient): Promise<ConnectionReport> {
  const { primary } = client;
  if (!primary) {
    const checks = [fromError('target', 'failed', client.stopped), skipped('reachable'), skipped('tls')];
    return { checks, fingerprint: null, connected: false };
  }
  const { connection } = primary;
  const { host, port } = connection.target;
  try {
    await connection.probe();
  } catch (error) {
    const fingerprint = connection.lastShown?.fingerprint ?? null;
    return { checks: failedAt(toFailedStep(error), host, error), fingerprint, connected: false };
  }
  const shown = connection.lastShown;
  return {
    checks: [
      ok('target', `${host} is an allowed target`),
      ok('reachable', `${host} port ${port} accepts connections`),
      ok('tls', shown?.basis ? TRUST[shown.basis] : 'The certificate is trusted'),
    ],
    fingerprint: shown?.fingerprint ?? null,
    connected: true,
  };
}
