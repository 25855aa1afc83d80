import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cluster, ClusterCheckInput, ClusterInput, ClusterUpdate } from '@/domain/cluster';
import {
  type ConnectionValues,
  connectionKey,
  EMPTY_CONNECTION,
  toCheckInput,
  toClusterInput,
  toClusterUpdate,
  toConnectionValues,
} from './connection-values';

const FINGERPRINT = Array(32).fill('AB').join(':');
const filled: ConnectionValues = {
  name: ' lab ',
  api_url: 'pve1.example.org',
  api_token: 'PVEAPIToken=fabric@pve!fabric=0f3c',
  tls_fingerprint: FINGERPRINT.toLowerCase(),
  rule_placement: 'above',
};

test('a filled form is an input the service accepts', () => {
  expect(ClusterInput.parse(toClusterInput(filled))).toEqual({
    name: 'lab',
    api_url: 'https://pve1.example.org:8006',
    api_token: 'fabric@pve!fabric=0f3c',
    tls_fingerprint: FINGERPRINT,
    rule_placement: 'above',
  });
});

test('an empty form is refused at each required field and nowhere else', () => {
  const result = ClusterInput.safeParse(toClusterInput(EMPTY_CONNECTION));
  expect(result.error?.issues.map((issue) => issue.path.join('.')).sort()).toEqual(['api_token', 'api_url', 'name']);
});

test('editing without a new token does not send one, and the version is that of the reading', () => {
  const cluster = { ...filled, version: 4 } as unknown as Cluster;
  const values = toConnectionValues(cluster);
  expect(values.api_token).toBe('');
  const update = ClusterUpdate.parse(toClusterUpdate(values, cluster));
  expect(update.api_token).toBeUndefined();
  expect(update.version).toBe(4);
  expect(ClusterUpdate.parse(toClusterUpdate({ ...values, tls_fingerprint: ' ' }, cluster)).tls_fingerprint).toBeNull();
});

test('a check of a stored cluster names it; one of a new cluster needs address and token only', () => {
  const id = '0190f3a0-0000-7000-8000-000000000001';
  expect(ClusterCheckInput.parse(toCheckInput({ ...filled, api_token: '' }, id))).toMatchObject({ cluster_id: id });
  expect(ClusterCheckInput.parse(toCheckInput({ ...filled, name: '' }, null)).cluster_id).toBeUndefined();
});

test('the name does not matter to what was checked; address, token and fingerprint do', () => {
  const text = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(text, text, (name, extra) => {
      expect(connectionKey({ ...filled, name } as ConnectionValues)).toBe(connectionKey(filled));
      const changed = extra.trim() !== '';
      expect(
        connectionKey({ ...filled, api_token: `${filled.api_token}${extra.trim()}` }) !== connectionKey(filled),
      ).toBe(changed);
    }),
  );
});
