import {
  PROTECTED_TEMPLATES,
  type ProtectedConnection,
  type ProtectedConnectionInput,
  type ProtectedTemplate,
  TEMPLATES,
} from '@/domain/policy-tests/protected-connection';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { newId } from '../../lib/ids';
import { assertVersion, nameTaken, notFound } from '../../lib/refusals';
import { readOwnRoles } from '../own-connections/own-workloads';
import { proposeEnds } from '../own-connections/propose-ends';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import {
  deletePolicyTest,
  findProtectedTests,
  insertPolicyTest,
  lockPolicyTest,
  lockProtectedTest,
  policyTestNameTaken,
  updatePolicyTest,
} from '../queries/policy-tests';
import { describeTest } from './describe-test';
import { evaluateTest } from './evaluate-tests';
import { auditedTest } from './policy-tests';
import { nodeEndpoints } from './test-endpoints';

const INSTALLATION = { tenant_id: null, project_id: null } as const;

/**
 * The connections that the installation depends on, with what is missing to complete each. They belong to the installation: users
 * of single tenants have none.
 */
export async function listProtectedConnections({
  reach,
}: Scope<'policy_test:read'>): Promise<{ items: ProtectedConnection[] }> {
  if (reach !== 'all') return { items: [] };
  const [firewall, tests] = await Promise.all([readFirewallState(), findProtectedTests(db)]);
  const nodes = nodeEndpoints(firewall);
  const proposals = proposeEnds(firewall.inputs, await readOwnRoles(firewall.inputs));
  return {
    items: PROTECTED_TEMPLATES.map((template): ProtectedConnection => {
      const { name, protocol, ports, ...ends } = TEMPLATES[template];
      const stored = tests.get(template);
      const proposed = proposals[template];
      const from = stored?.from ?? [...(proposed?.from ?? (ends.from === 'nodes' ? nodes : []))];
      const to = stored?.to ?? [...(proposed?.to ?? (ends.to === 'nodes' ? nodes : []))];
      const missing = [...(from.length === 0 ? ['from' as const] : []), ...(to.length === 0 ? ['to' as const] : [])];
      const test = stored ? describeTest(firewall, reach, stored) : null;
      return {
        template,
        name,
        protocol,
        from,
        to,
        ports: [...(stored?.ports ?? proposed?.ports ?? ports)],
        missing,
        version: stored?.version ?? 0,
        test,
      };
    }),
  };
}

/** The same after a change. @throws Error when the template is not listed, which cannot be */
async function readOne(scope: Scope<'policy_test:protect'>, template: ProtectedTemplate): Promise<ProtectedConnection> {
  const { items } = await listProtectedConnections(scope as unknown as Scope<'policy_test:read'>);
  const found = items.find((item) => item.template === template);
  if (!found) throw new Error(`expected the template ${template}`);
  return found;
}

/**
 * Completes a protected connection, or changes what it was completed with: a policy test of the installation that only holders
 * of this permission change or override. It is evaluated immediately.
 * @throws AppError `version_conflict`, `conflict` when a test has its name
 */
export async function completeProtectedConnection(
  scope: Scope<'policy_test:protect'>,
  template: ProtectedTemplate,
  { version, ...input }: ProtectedConnectionInput,
): Promise<ProtectedConnection> {
  const firewall = await readFirewallState();
  const { name, protocol } = TEMPLATES[template];
  await db.transaction(async (tx) => {
    const known = await lockProtectedTest(tx, template);
    assertVersion('protected connection', known?.version ?? 0, version, { current: known && auditedTest(known) });
    if (!known && (await policyTestNameTaken(tx, INSTALLATION, name))) throw nameTaken('policy test', name);
    const id = known?.id ?? newId();
    if (known) await updatePolicyTest(tx, id, { ...input, version: known.version + 1 });
    else {
      const fields = { name, expect: 'allow', protocol, owner: '', reason: '', protected: true, template } as const;
      await insertPolicyTest(tx, { ...INSTALLATION, ...fields, ...input, id });
    }
    const row = await lockPolicyTest(tx, 'all', id);
    if (!row) throw new Error('expected the stored test to exist');
    await evaluateTest(tx, scope, firewall, row);
    await publishEvent(tx, { type: 'policy_test.changed', ...INSTALLATION });
    await recordAudit(tx, scope, {
      action: known ? 'policy_test.updated' : 'policy_test.created',
      object_kind: 'policy_test',
      object_id: id,
      object_name: name,
      ...(known && { before: auditedTest(known) }),
      after: auditedTest(row),
    });
  });
  return readOne(scope, template);
}

/** Removes the test of a protected connection. @throws AppError `not_found` when it was not completed */
export function removeProtectedConnection(
  scope: Scope<'policy_test:protect'>,
  template: ProtectedTemplate,
): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await lockProtectedTest(tx, template);
    if (!row) throw notFound('protected connection');
    await deletePolicyTest(tx, row.id);
    await publishEvent(tx, { type: 'policy_test.changed', ...INSTALLATION });
    await recordAudit(tx, scope, {
      action: 'policy_test.deleted',
      object_kind: 'policy_test',
      object_id: row.id,
      object_name: row.name,
      before: auditedTest(row),
    });
  });
}
