import { buildAliasRoutes } from './firewall-alias-routes';
import { groupRoutes } from './firewall-group-routes';
import { firewallLogRoutes } from './firewall-log-routes';
import { buildOptionRoutes } from './firewall-option-routes';
import { buildRuleRoutes, type RuleList } from './firewall-rule-routes';
import { CLUSTER_SCOPE, type FirewallScope, GUEST_SCOPES, HOST_SCOPE, VNET_SCOPE } from './firewall-scope';
import { buildSetRoutes } from './firewall-set-routes';
import type { Route } from './route';

const PERL_ERROR =
  "Can't use an undefined value as an ARRAY reference at /usr/share/perl5/PVE/API2/Firewall/Rules.pm line 355.";

const ownRules = (scope: FirewallScope): RuleList => ({
  scope,
  pattern: `${scope.base}/rules`,
  pathParams: scope.pathParams,
  ruleScope: scope.file.rules,
  of: (file) => file.rules,
  ...(scope.file.options === 'guest' && { missingFileError: PERL_ERROR }),
});

const index = (scope: FirewallScope, names: string[]): Route => ({
  method: 'GET',
  pattern: scope.base,
  params: scope.pathParams,
  ...(scope === VNET_SCOPE && { permission: 'root' as const }),
  proxied: false,
  handledBy: 'pveproxy',
  handle: () => names.map((name) => ({ name })),
});

/** Firewall calls of the cluster, the nodes, the guests and the VNets. */
export const firewallRoutes: Route[] = [
  index(CLUSTER_SCOPE, ['aliases', 'groups', 'ipset', 'macros', 'options', 'refs', 'rules']),
  ...groupRoutes,
  ...[CLUSTER_SCOPE, ...GUEST_SCOPES].flatMap((scope) => [...buildSetRoutes(scope), ...buildAliasRoutes(scope)]),
  ...[CLUSTER_SCOPE, HOST_SCOPE, ...GUEST_SCOPES, VNET_SCOPE].flatMap((scope) => [
    ...buildOptionRoutes(scope),
    ...buildRuleRoutes(ownRules(scope)),
  ]),
  ...firewallLogRoutes,
  index(HOST_SCOPE, ['log', 'options', 'rules']),
  ...GUEST_SCOPES.map((scope) => index(scope, ['aliases', 'ipset', 'log', 'options', 'refs', 'rules'])),
  index(VNET_SCOPE, ['options', 'rules']),
];
