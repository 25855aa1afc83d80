import type { ClusterRow } from '../inventory/queries/clusters';

const SETTABLE = ['name', 'api_url', 'tls_fingerprint', 'rule_placement'] as const;
type Settable = Pick<ClusterRow, (typeof SETTABLE)[number]>;

/** What the audit trail keeps of a cluster: what an administrator sets, and of the token only whether there is one. */
export function auditedCluster(row: Settable & { api_token_encrypted?: string | null }): Record<string, unknown> {
  return {
    ...Object.fromEntries(SETTABLE.map((field) => [field, row[field]])),
    has_api_token: Boolean(row.api_token_encrypted),
  };
}
