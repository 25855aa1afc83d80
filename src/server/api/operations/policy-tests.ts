import {
  PolicyTest,
  PolicyTestInput,
  PolicyTestListInput,
  PolicyTestPage,
  PolicyTestUpdate,
} from '@/domain/policy-tests/definition';
import {
  createPolicyTest,
  deletePolicyTest,
  listPolicyTests,
  readPolicyTest,
  updatePolicyTest,
} from '../../enforcement/policy-tests/policy-tests';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Policy tests');

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
    run: ({ scope, params }) => deletePolicyTest(scope, params.policy_test_id),
  }),
});
