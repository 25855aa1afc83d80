import { computeObjectDigest } from '../firewall/digest';
import { OPTION_SPECS, type Options, typedOption } from '../firewall/option-lines';
import { parameterError } from '../pve-error';
import { common } from '../schema/formats';
import { assertUnmodified, CLUSTER_SCOPE, editFirewall, type FirewallScope, readFirewall } from './firewall-scope';
import type { Call, Route } from './route';

/** Seconds an `enable` value above 1 counts as enabled. */
const TRIAL_SECONDS = 60;

/** Options as stored; the cluster's trial mode ends by itself. */
function currentOptions(call: Call, scope: FirewallScope): Options {
  const options = { ...readFirewall(call, scope).options };
  if (scope === CLUSTER_SCOPE && Number(options.enable) > 1) {
    if (call.cluster.nowSeconds - Number(options.enable) > TRIAL_SECONDS) options.enable = 0;
  }
  return options;
}

function setOptions(call: Call, scope: FirewallScope): Promise<null> {
  scope.check?.(call, 'write');
  const kind = scope.file.options;
  return editFirewall(call, scope, ({ options }) => {
    assertUnmodified(computeObjectDigest(options), call.params.digest);
    for (const name of (call.params.delete ?? '').split(/[,;\s]+/).filter((part) => part !== '')) {
      if (!OPTION_SPECS[kind][name]) throw parameterError({ delete: `no such option '${name}'` });
      delete options[name];
    }
    for (const name of Object.keys(OPTION_SPECS[kind])) {
      const value = call.params[name];
      if (value === undefined) continue;
      options[name] = typedOption(kind, name, value);
      if (kind === 'cluster' && name === 'enable' && Number(value) > 1) options[name] = call.cluster.nowSeconds;
    }
  });
}

/** Reading and changing the options of a firewall file. */
export function buildOptionRoutes(scope: FirewallScope): Route[] {
  const pattern = `${scope.base}/options`;
  const { pathParams } = scope;
  return [
    {
      method: 'GET',
      pattern,
      params: pathParams,
      permission: scope.read,
      proxied: scope.optionsProxied,
      handledBy: 'pveproxy',
      handle: (call) => {
        scope.check?.(call, 'read');
        const options = currentOptions(call, scope);
        return { ...options, digest: computeObjectDigest(options) };
      },
    },
    {
      method: 'PUT',
      pattern,
      params: {
        ...OPTION_SPECS[scope.file.options],
        ...pathParams,
        delete: common.deleteList,
        digest: common.digest,
      },
      permission: scope.write,
      proxied: scope.optionsProxied,
      handledBy: 'pvedaemon',
      meter: 'firewall-write',
      handle: (call) => setOptions(call, scope),
    },
  ];
}
