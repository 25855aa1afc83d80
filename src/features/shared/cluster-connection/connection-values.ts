import type { Cluster, ClusterInput } from '@/domain/cluster';

/** The form of a cluster's connection: every value as text, as inputs hold it. */
export type ConnectionValues = {
  name: string;
  api_url: string;
  /** Empty while editing means that the stored token stays. */
  api_token: string;
  /** Empty trusts certificate authorities only. */
  tls_fingerprint: string;
  rule_placement: Cluster['rule_placement'];
};

export const EMPTY_CONNECTION: ConnectionValues = {
  name: '',
  api_url: '',
  api_token: '',
  tls_fingerprint: '',
  rule_placement: 'above',
};

export function toConnectionValues(cluster: Cluster): ConnectionValues {
  return {
    name: cluster.name,
    api_url: cluster.api_url,
    api_token: '',
    tls_fingerprint: cluster.tls_fingerprint ?? '',
    rule_placement: cluster.rule_placement,
  };
}

const orNull = (text: string) => text.trim() || null;
const orAbsent = (text: string) => text.trim() || undefined;

/** What is sent to add a cluster, before the schema has looked at it. */
export function toClusterInput(values: ConnectionValues) {
  return { ...values, tls_fingerprint: orNull(values.tls_fingerprint) };
}

/** What is sent to change one: the whole form with the version it was read at; no token when none was entered. */
export function toClusterUpdate(values: ConnectionValues, cluster: Pick<Cluster, 'version'>) {
  return {
    name: values.name,
    api_url: values.api_url,
    api_token: orAbsent(values.api_token),
    tls_fingerprint: orNull(values.tls_fingerprint),
    rule_placement: values.rule_placement,
    version: cluster.version,
  };
}

/** What is sent to test the connection. For a stored cluster, its token replaces an empty one. */
export function toCheckInput(values: ConnectionValues, clusterId: string | null) {
  return {
    cluster_id: clusterId ?? undefined,
    api_url: values.api_url,
    api_token: orAbsent(values.api_token),
    tls_fingerprint: orNull(values.tls_fingerprint),
  };
}

/** Two forms with the same key are the same connection: what was checked for one holds for the other. */
export function connectionKey(values: Pick<ClusterInput, 'api_url'> & { api_token: string; tls_fingerprint: string }) {
  return JSON.stringify([values.api_url.trim(), values.api_token.trim(), values.tls_fingerprint.trim().toUpperCase()]);
}
