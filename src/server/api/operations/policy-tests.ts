import { z } from 'zod';
import { OWN_ROLES, OwnWorkload, OwnWorkloadInput, OwnWorkloads } from '@/domain/own-connections/own-workloads';
import {
  PolicyTest,
  PolicyTestInput,
  PolicyTestListInput,
  PolicyTestPage,
  PolicyTestUpdate,
} from '@/domain/policy-tests/definition';
import {
  PROTECTED_TEMPLATES,
  ProtectedConnection,
  ProtectedConnectionInput,
  ProtectedConnections,
} from '@/domain/policy-tests/protected-connection';
import { releasePolicyTest } from '../../enforcement/managed/release';
import { answerOwnWorkload, listOwnWorkloads } from '../../enforcement/own-connections/own-workloads';
import {
  createPolicyTest,
  deletePolicyTest,
  listPolicyTests,
  readPolicyTest,
  updatePolicyTest,
} from '../../enforcement/policy-tests/policy-tests';
import {
  completeProtectedConnection,
  listProtectedConnections,
  removeProtectedConnection,
} from '../../enforcement/policy-tests/protected-connections';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Policy tests');
const templateParams = z.object({ template: z.enum(PROTECTED_TEMPLATES) });

export const policyTestsRouter = router({
  list: query({
    rest: 'GET /policy-tests',
    summary: 'List policy tests with their results on the live rules, as last read.',
    access: { permission: 'policy_test:read' },
    input: PolicyTestListInput,
    output: PolicyTestPage,
    run: ({ scope, input }) => listPolicyTests(scope, input),
  }),
  create: mutation({
    rest: 'POST /policy-tests',
    summary: 'Create a policy test: what must be allowed or denied between two ends. It is evaluated immediately.',
    access: { permission: 'policy_test:write' },
    input: PolicyTestInput,
    output: PolicyTest,
    status: 201,
    run: ({ scope, input }) => createPolicyTest(scope, input),
  }),
  get: query({
    rest: 'GET /policy-tests/{policy_test_id}',
    summary: 'Get one policy test with its result, a counterexample and what decides it.',
    access: { permission: 'policy_test:read' },
    output: PolicyTest,
    run: ({ scope, params }) => readPolicyTest(scope, params.policy_test_id),
  }),
  update: mutation({
    rest: 'PATCH /policy-tests/{policy_test_id}',
    summary: 'Update a policy test. It is evaluated again.',
    access: { permission: 'policy_test:write' },
    input: PolicyTestUpdate,
    output: PolicyTest,
    run: ({ scope, params, input }) => updatePolicyTest(scope, params.policy_test_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /policy-tests/{policy_test_id}',
    summary: 'Delete a policy test.',
    access: { permission: 'policy_test:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deletePolicyTest(scope, params.policy_test_id, input.version),
  }),
  release: mutation({
    rest: 'POST /policy-tests/{policy_test_id}/release',
    summary:
      'Release a policy test that is managed as code, so that it can be edited. The next apply from its source manages it again.',
    access: { permission: 'policy_test:write' },
    output: PolicyTest,
    problems: ['conflict'],
    run: ({ scope, params }) => releasePolicyTest(scope, params.policy_test_id),
  }),
  protected: query({
    rest: 'GET /protected-connections',
    summary: 'List the connections that the installation depends on, with what is missing to complete each.',
    access: { permission: 'policy_test:read' },
    output: ProtectedConnections,
    run: ({ scope }) => listProtectedConnections(scope),
  }),
  protect: mutation({
    rest: 'PUT /protected-connections/{template}',
    summary: 'Complete a protected connection: a policy test that only this permission changes or overrides.',
    access: { permission: 'policy_test:protect' },
    params: templateParams,
    onPages: { template: 'template' },
    input: ProtectedConnectionInput,
    output: ProtectedConnection,
    run: ({ scope, params, input }) => completeProtectedConnection(scope, params.template, input),
  }),
  own: query({
    rest: 'GET /own-workloads',
    summary: 'List the parts of Fabric itself with their addresses and the workloads that they run on.',
    access: { permission: 'policy_test:read' },
    output: OwnWorkloads,
    run: ({ scope }) => listOwnWorkloads(scope),
  }),
  answerOwn: mutation({
    rest: 'PUT /own-workloads/{role}',
    summary: 'Confirm on which workloads a part of Fabric runs; without any it runs outside the clusters.',
    access: { permission: 'policy_test:protect' },
    params: z.object({ role: z.enum(OWN_ROLES) }),
    onPages: { role: 'role' },
    input: OwnWorkloadInput,
    output: OwnWorkload,
    run: ({ scope, params, input }) => answerOwnWorkload(scope, params.role, input),
  }),
  unprotect: mutation({
    rest: 'DELETE /protected-connections/{template}',
    summary: 'Remove the policy test of a protected connection.',
    access: { permission: 'policy_test:protect' },
    params: templateParams,
    onPages: { template: 'template' },
    run: ({ scope, params }) => removeProtectedConnection(scope, params.template),
  }),
});
