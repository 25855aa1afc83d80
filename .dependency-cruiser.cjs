// The dependency rules of this codebase: who may import whom. `npm run deps` checks them, and that the check really
// looked at the code.
const TESTS = '[.](test|e2e)[.]tsx?$|^src/test/|[.]fixture[.]ts$|contract[.]suite[.]ts$';
const never = (name, from, to, { ok, values, tests } = {}) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: tests ? [] : [TESTS] },
  to: { path: to, pathNot: ok ? [ok] : [], ...(values && { dependencyTypesNot: ['type-only'] }) },
});
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    never('domain-is-pure', '^src/domain/', '^(src/(?!domain/)|workers/|agent/|node_modules/(?!zod/))'),
    never('ui-knows-no-domain', '^src/ui/', '^src/(app|features|server|domain)/', { ok: '^src/domain/net/' }),
    never('client-without-server', '^src/(features|ui|lib)/', '^src/server/', { ok: '^src/server/api/root[.]ts$' }),
    never('router-type-only', '^src/(features|ui|lib)/', '^src/server/api/root[.]ts$', { values: true }),
    never('features-stay-apart', '^src/features/([^/]+)/', '^src/features/(?!($1|shared)/)'),
    never('routes-are-leaves', '^(src/(?!app/)|workers/|agent/)', '^src/app/'),
    never('pages-use-the-caller', '^src/app/(?!api/)', '^src/server/(services|repositories|providers|jobs|db)/'),
    never('edges-are-thin', '^src/(app/api|server/(api|rest))/', '^src/server/(repositories|providers|db)/'),
    never(
      'services-know-no-transport',
      '^src/server/services/',
      '^(src/server/(api|rest)/|node_modules/(@trpc|next|react)/)',
    ),
    never('repositories-are-low', '^src/server/repositories/', '^src/server/(api|rest|auth|services|providers|jobs)/'),
    never('providers-are-low', '^src/server/providers/', '^src/server/(api|rest|auth|services|repositories|jobs|db)/'),
    never(
      'sql-has-a-home',
      '^src/server/(?!(repositories|db|traffic/storage/postgres)/)',
      '^node_modules/drizzle-orm/',
    ),
    never(
      'workers-call-services',
      '^workers/',
      '^src/(app|features|ui|lib|server/(api|rest|repositories|providers|db))/',
    ),
    // The runtime starts processes; nothing in them depends on how they were started.
    never('runtime-is-an-edge', '^src/(?!runtime/)', '^src/runtime/'),
    // The demo is a user of the services, beside them and not below them; it stands beside the simulator's clusters too.
    never('demo-stays-outside', '^(src/(?!(demo|runtime)/)|workers/|agent/)', '^src/demo/'),
    never(
      'demo-calls-services',
      '^src/demo/',
      '^src/(app|features|ui|runtime|server/(api|rest|repositories|db|providers/hypervisor/(?!fake/)))/',
    ),
    never('agent-stands-alone', '^agent/(?!contract/)', '^(src|workers|e2e)/', { tests: true }),
    never(
      'contract-is-data',
      '^agent/contract/',
      '^(src|workers|agent/src|node_modules/(?!(zod|vitest|fast-check)/))',
      {
        tests: true,
      },
    ),
    never('e2e-stays-outside', '^e2e/', '^src/(app|features|ui|server/(api|services|repositories))/', { tests: true }),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '[.]gen[.]' },
  },
};
