import { parameterError } from '../pve-error';
import { ALIAS_REFERENCE, formats } from '../schema/formats';
import { parseAddressSpec } from './address-spec';
import { type FirewallRule, isPerlTrue, type RuleScope } from './firewall-rule';
import { canonicalMacro, isIpv6Macro, macroRules } from './macros';
import { portError, protocolFormat } from './port-spec';
import { GROUP_NAME, ICMP_TYPES, ICMPV6_TYPES, PROTOCOLS_WITH_PORTS } from './vocabulary';

/** Objects a rule may refer to. Set names are stored lower case and looked up as written; aliases ignore case. */
export type References = {
  aliases: ReadonlyMap<string, { ipversion: 4 | 6 }>;
  ipsets: ReadonlySet<string> | ReadonlyMap<string, unknown>;
};

export type ReferenceScopes = {
  datacenter: References;
  guest?: References;
  /** Sets derived from the SDN configuration, limited to what the caller may see. */
  sdnSets: ReadonlySet<string>;
};

const TYPES: Record<RuleScope, readonly string[]> = {
  cluster: ['in', 'out', 'forward', 'group'],
  host: ['in', 'out', 'forward', 'group'],
  group: ['in', 'out', 'forward'],
  vm: ['in', 'out', 'group'],
  ct: ['in', 'out', 'group'],
  vnet: ['forward', 'group'],
};

const allowsInterface = (scope: RuleScope) => scope !== 'group' && scope !== 'vnet';

type AddError = (field: string, text: string) => void;

/** Whether there is a set of this name. The API ignores the scope that the reference names; the compiler does not. */
const hasSet = ({ guest, datacenter, sdnSets }: ReferenceScopes, name: string): boolean =>
  Boolean(guest?.ipsets.has(name)) || datacenter.ipsets.has(name) || sdnSets.has(name);

/** The same for an alias. */
const hasAlias = ({ guest, datacenter }: ReferenceScopes, reference: string): boolean => {
  const key = reference.replace(/^(dc|guest)\//, '').toLowerCase();
  return Boolean(guest?.aliases.has(key)) || datacenter.aliases.has(key);
};

export function findAlias(scopes: ReferenceScopes, reference: string): { ipversion: 4 | 6 } | undefined {
  const [, prefix = '', name = ''] = /^(dc\/|guest\/)?(.*)$/.exec(reference) ?? [];
  const key = name.toLowerCase();
  const own = prefix === 'dc/' ? undefined : scopes.guest?.aliases.get(key);
  return own ?? (prefix === 'guest/' ? undefined : scopes.datacenter.aliases.get(key));
}

function checkReference(value: string, scopes: ReferenceScopes): { error?: string; family?: 4 | 6 } {
  if (value.startsWith('+')) {
    const [, name] = /^\+(?:guest\/|dc\/|sdn\/)?([A-Za-z][A-Za-z0-9\-_]+)$/.exec(value) ?? [];
    if (name === undefined) return { error: `invalid ipset name '${value}'` };
    return hasSet(scopes, name) ? {} : { error: `no such ipset '${name}'` };
  }
  if (!ALIAS_REFERENCE.test(value)) return {};
  if (!hasAlias(scopes, value)) return { error: `no such alias '${value}'` };
  const family = findAlias(scopes, value)?.ipversion;
  return family === undefined ? {} : { family };
}

function checkHead(rule: FirewallRule, scope: RuleScope, add: AddError): void {
  if (!TYPES[scope].includes(rule.type)) {
    if (rule.type === 'group' && scope === 'group') add('type', 'security groups not allowed');
    else add('type', `invalid rule type '${rule.type}' for rule_env '${scope}'`);
  } else if (rule.type === 'group') {
    if (!GROUP_NAME.test(rule.action)) add('action', 'invalid characters in security group name');
  } else if (!/^(ACCEPT|DROP|REJECT)$/.test(rule.action)) {
    add('action', `unknown action '${rule.action}'`);
  } else if (rule.type === 'forward' && rule.action === 'REJECT') {
    add('action', 'action REJECT is not allowed for rule type forward');
  }
  if (!rule.iface) return;
  if (!allowsInterface(scope)) add('type', 'parameter -i not allowed for this rule type');
  const wrong = formats.iface(rule.iface);
  if (wrong) add('iface', wrong);
  if ((scope === 'vm' || scope === 'ct') && !/^net(\d+)$/.test(rule.iface)) {
    add('iface', "value does not match the regex pattern 'net\\d+'");
  }
}

function checkPorts(rule: FirewallRule, name: 'dport' | 'sport', isIcmp: boolean, add: AddError): void {
  const ports = rule[name];
  if (!isPerlTrue(ports) || ports === undefined) return;
  const wrong = portError(ports, name === 'dport');
  if (wrong) add(name, wrong);
  const { proto } = rule;
  if (!isPerlTrue(proto) || proto === undefined) add('proto', `missing property - '${name}' requires this property`);
  else if (!PROTOCOLS_WITH_PORTS.has(proto) && !(name === 'dport' && isIcmp)) {
    add(name, `protocol '${proto}' does not support ports`);
  }
}

function checkIcmpType(rule: FirewallRule, isIcmp: boolean, add: AddError): void {
  const type = rule['icmp-type'];
  if (!isPerlTrue(type) || type === undefined) return;
  if (!isIcmp) add('proto', "missing property - 'icmp-type' requires this property");
  if (isPerlTrue(rule.dport)) add('icmp-type', "'icmp-type' cannot be specified together with 'dport'");
  const known = rule.proto === 'icmp' ? ICMP_TYPES : ICMPV6_TYPES;
  if (isIcmp && !known.has(type)) add('icmp-type', `invalid icmp-type '${type}' for proto '${rule.proto}'`);
}

/** A macro's own parameters must not be contradicted. */
function checkMacro(rule: FirewallRule, add: AddError): void {
  const { macro } = rule;
  if (!macro || (rule.ipversion === 4 && isIpv6Macro(macro))) return;
  for (const template of macroRules(macro, rule.ipversion)) {
    for (const [name, value] of Object.entries(template)) {
      const given = rule[name as keyof FirewallRule];
      if (given !== undefined && given !== value) {
        add(name, `parameter '${name}' already define in macro (value = '${value}')`);
      }
    }
  }
}

/**
 * Checks a rule and completes it: canonical macro name, address family, and `errors` for what is wrong.
 * @param strict throw the 400 of the first problem, as a write does; a read only records problems
 */
export function checkRule(
  rule: FirewallRule,
  scope: RuleScope,
  references: ReferenceScopes,
  strict: boolean,
): FirewallRule {
  const errors: Record<string, string> = {};
  const add: AddError = (field, text) => {
    if (strict) throw parameterError({ [field]: text });
    errors[field] ??= text;
  };
  let family: 4 | 6 | undefined;
  const join = (field: string, next: 4 | 6 | undefined) => {
    if (next && family && next !== family) add(field, 'detected mixed ipv4/ipv6 addresses in rule');
    else family = next ?? family;
  };

  checkHead(rule, scope, add);
  if (rule.macro) {
    const canonical = canonicalMacro(rule.macro);
    if (canonical === undefined) add('macro', `unknown macro '${rule.macro}'`);
    else rule.macro = canonical;
  }
  const isIcmp = ['icmp', 'icmpv6', 'ipv6-icmp'].includes(rule.proto ?? '');
  if (rule.proto) {
    const wrong = protocolFormat(rule.proto);
    if (wrong) add('proto', wrong);
    if (isIcmp) join('proto', rule.proto === 'icmp' ? 4 : 6);
  }
  checkPorts(rule, 'dport', isIcmp, add);
  checkIcmpType(rule, isIcmp, add);
  checkPorts(rule, 'sport', isIcmp, add);
  for (const field of ['source', 'dest'] as const) {
    const value = rule[field];
    if (!value) continue;
    const spec = parseAddressSpec(value);
    if ('error' in spec) add(field, spec.error);
    else join(field, spec.family);
    const reference = checkReference(value, references);
    if (reference.error) add(field, reference.error);
    join(field, reference.family);
  }
  delete rule.ipversion;
  delete rule.errors;
  if (family) rule.ipversion = family;
  if (Object.keys(errors).length === 0) checkMacro(rule, add);
  if (Object.keys(errors).length > 0) rule.errors = errors;
  return rule;
}
