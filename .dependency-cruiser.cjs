// The dependency rules of this codebase: who may import whom. `npm run deps` checks them, and that the check really
// looked at the code.
const TESTS = '[.](test|e2e)[.]tsx?$|^src/test/|[.]fixture[.]ts$|contract[.]suite[.]ts$';
const never = (name, from, to, { ok, values, tests, except } = {}) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: [...(tests ? [] : [TESTS]), ...(except ? [except] : [])] },
  to: { path: to, pathNot: ok ? [ok] : [], ...(values && { dependencyTypesNot: ['type-only'] }) },
});
/** Domains of the server, from what all know up to what knows all: none imports one that comes later. */
const DOMAINS =
  'audit settings history tenancy access inventory addresses traffic enforcement placement sync insight notifications forwarding operation'.split(
    ' ',
  );
const IN_A_DOMAIN = `^src/server/(${DOMAINS.join('|')})/`;
const QUERIES = '^src/server/([^/]+/queries|traffic/storage/(postgres|clickhouse|move))/';
const below = (domain, index) =>
  never(`${domain}-is-below`, `^src/server/${domain}/`, `^src/server/(${DOMAINS.slice(index + 1).join('|')})/`);
module.exports = {
  forbidden: [
    ...DOMAINS.slice(0, -1).map(below),
    never('platform-knows-no-domain', '^src/server/(lib|db|auth|admission|jobs|events|providers)/', IN_A_DOMAIN),
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    never('domain-is-pure', '^src/domain/', '^(src/(?!domain/)|workers/|agent/|node_modules/(?!zod/))'),
    never('ui-knows-no-domain', '^src/ui/', '^src/(app|features|server|domain)/', { ok: '^src/domain/net/' }),
    // Its links fetch ahead what the pointer reaches, not everything on the screen.
    never('links-come-from-ui', '^src/', '^node_modules/next/.*link[.](js|d[.]ts)$', {
      except: '^src/ui/link[.]tsx$',
    }),
    never('client-without-server', '^src/(features|ui|lib)/', '^src/server/', { ok: '^src/server/api/root[.]ts$' }),
    never('router-type-only', '^src/(features|ui|lib)/', '^src/server/api/root[.]ts$', { values: true }),
    never('features-stay-apart', '^src/features/([^/]+)/', '^src/features/(?!($1|shared)/)'),
    never('routes-are-leaves', '^(src/(?!app/)|workers/|agent/)', '^src/app/'),
    never('pages-use-the-caller', '^src/app/(?!api/)', `^src/server/(providers|jobs|db)/|${IN_A_DOMAIN}`),
    never('edges-are-thin', '^src/(app/api|server/(api|rest))/', '^src/server/(providers|db)/'),
    never('domains-know-no-transport', IN_A_DOMAIN, '^(src/server/(api|rest)/|node_modules/(@trpc|next|react)/)'),
    never('queries-are-low', QUERIES, `^src/server/(api|rest|auth|providers|jobs)/|${IN_A_DOMAIN}`, {
      ok: `${QUERIES}|^src/server/traffic/storage/`,
    }),
    never('providers-are-low', '^src/server/providers/', '^src/server/(api|rest|auth|jobs|db)/'),
    never('sql-has-a-home', '^src/server/(?!db/)', '^node_modules/drizzle-orm/', { except: QUERIES }),
    // How flows are stored is known in one room: their tables, and everything behind the interface `flow-store.ts`.
    never(
      'flow-storage-is-one-room',
      '^(src/(?!server/(traffic/storage|db)/)|workers/|agent/|e2e/)',
      '^src/server/(traffic/storage/(postgres|clickhouse)/|db/schema/(flows|traffic|coverage)[.]ts$)',
    ),
    // The interface names its engine and nothing else of it: what others pass and get is plain data.
    never(
      'flow-store-is-plain',
      '^src/server/traffic/storage/[^/]+$',
      '^src/server/(db/(?!client)|traffic/storage/(postgres|clickhouse)/)',
      {
        ok: '^src/server/(db/migration-lock|traffic/storage/(postgres/postgres-flow-store|clickhouse/(engine|storage-mark)))[.]ts$',
      },
    ),
    never(
      'flow-storage-is-low',
      '^src/server/traffic/storage/',
      '^src/server/(api|rest|auth|providers|jobs|traffic/(?!storage/))',
    ),
    never('workers-call-domains', '^workers/', `^src/(app|features|ui|lib|server/(api|rest|providers|db))/|${QUERIES}`),
    // The runtime starts processes; nothing in them depends on how they were started.
    never('runtime-is-an-edge', '^src/(?!runtime/)', '^src/runtime/'),
    // The demo is a user of the services, beside them and not below them; it starts the simulator's clusters.
    never('demo-stays-outside', '^(src/(?!(demo|runtime)/)|workers/|agent/)', '^src/demo/'),
    never(
      'demo-calls-services',
      '^src/demo/',
      `^src/(app|features|ui|runtime|server/(api|rest|db|providers/hypervisor))/`,
    ),
    never('simulator-stands-alone', '^packages/simulator/', '^(src|workers|agent|e2e|packages/bench)/'),
    never('product-needs-no-packages', '^(src/(?!demo/)|workers/|agent/)', '^packages/'),
    never('agent-stands-alone', '^agent/(?!contract/)', '^(src|workers|e2e)/', { tests: true }),
    never(
      'contract-is-data',
      '^agent/contract/',
      '^(src|workers|agent/src|node_modules/(?!(zod|vitest|fast-check)/))',
      {
        tests: true,
      },
    ),
    never('e2e-stays-outside', '^e2e/', `^src/(app|features|ui|server/api)/|${IN_A_DOMAIN}`, { tests: true }),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    // Our own packages are found by their exports.
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '[.]gen[.]' },
  },
};
