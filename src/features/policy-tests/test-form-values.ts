import type { POLICY_TEST_EXPECTATIONS } from '@/domain/choices';
import { splitList } from '@/domain/net/port-range';
import type { RuleProtocol } from '@/domain/policy/policy';
import type { PolicyTest, PolicyTestInput } from '@/domain/policy-tests/definition';
import { toProjectId } from '../shared/project-options';
import { toTenantId } from '../shared/tenant-options';

/** The form of a test; ports are typed as one text, separated by commas or spaces. */
export type TestValues = {
  name: string;
  expect: (typeof POLICY_TEST_EXPECTATIONS)[number];
  from: string[];
  to: string[];
  protocol: RuleProtocol;
  ports: string;
  reason: string;
  owner: string;
  /** Null while there is nothing to choose. */
  tenant_id: string | null;
  project_id: string | null;
};

export const EMPTY_TEST: TestValues = {
  name: '',
  expect: 'allow',
  from: [],
  to: [],
  protocol: 'tcp',
  ports: '',
  reason: '',
  owner: '',
  tenant_id: null,
  project_id: null,
};

export function toTestValues(test: PolicyTest): TestValues {
  const { name, expect, from, to, protocol, ports, reason, owner } = test;
  const ends = { from: [...from], to: [...to] };
  return { name, expect, ...ends, protocol, ports: ports.join(', '), reason, owner, tenant_id: null, project_id: null };
}

type Fields = Omit<PolicyTestInput, 'tenant_id' | 'project_id'>;

const toFields = ({ tenant_id: _, project_id: __, ports, ...values }: TestValues): Fields => ({
  ...values,
  ports: splitList(ports),
});

/** What creates a test. */
export const toTestInput = (
  values: TestValues,
): Fields & { tenant_id?: string | null; project_id?: string | null } => ({
  ...toFields(values),
  ...toTenantId(values.tenant_id),
  ...toProjectId(values.project_id),
});

/** What changes a test, with the version it was read at. */
export const toTestUpdate = (values: TestValues, { version }: Pick<PolicyTest, 'version'>) => ({
  ...toFields(values),
  version,
});

/** Problems of one endpoint or port are shown where all of them are typed. */
export const testFieldName = (field: string) => field.replace(/^(from|to|ports)\..*$/, '$1');
