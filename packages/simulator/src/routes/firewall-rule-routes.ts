import { addressFormat } from '../firewall/address-spec';
import { computeListDigest, withDigest } from '../firewall/digest';
import type { FirewallFile } from '../firewall/firewall-file';
import { type FirewallRule, RULE_FIELDS, type RuleScope } from '../firewall/firewall-rule';
import { destinationPortFormat, icmpTypeFormat, protocolFormat, sourcePortFormat } from '../firewall/port-spec';
import { checkRule } from '../firewall/rule-check';
import { LOG_LEVELS } from '../firewall/vocabulary';
import { PveError, parameterError } from '../pve-error';
import { common, formats } from '../schema/formats';
import type { ParamSpecs } from '../schema/param-spec';
import { assertUnmodified, editFirewall, type FirewallScope, readFirewall, referencesFor } from './firewall-scope';
import { type Call, numberParam, type Route } from './route';

/** A list of rules inside a firewall file: the file's own, or those of a security group. */
export type RuleList = {
  scope: FirewallScope;
  /** Path of the list, for example `/cluster/firewall/groups/{group}`. */
  pattern: string;
  pathParams: ParamSpecs;
  ruleScope: RuleScope;
  /** The list itself, to read and to change in place; throws when it does not exist. */
  of(file: FirewallFile, call: Call): FirewallRule[];
  /** Error of a delete when the whole file is missing. */
  missingFileError?: string;
};

const text = { type: 'string', optional: true } as const;

const FIELDS: ParamSpecs = {
  comment: text,
  dest: { ...text, maxLength: 512, format: addressFormat },
  digest: common.digest,
  dport: { ...text, format: destinationPortFormat },
  enable: { type: 'integer', optional: true, minimum: 0 },
  'icmp-type': { ...text, format: icmpTypeFormat },
  iface: { ...text, minLength: 2, maxLength: 20, format: formats.iface },
  log: { ...text, enum: LOG_LEVELS },
  macro: { ...text, maxLength: 128 },
  pos: { type: 'integer', optional: true, minimum: 0 },
  proto: { ...text, format: protocolFormat },
  source: { ...text, maxLength: 512, format: addressFormat },
  sport: { ...text, format: sourcePortFormat },
};

const ACTION = { type: 'string', minLength: 2, maxLength: 20, pattern: /^[A-Za-z][A-Za-z0-9\-_]+$/ } as const;
const TYPE = { type: 'string', enum: ['in', 'out', 'forward', 'group'] } as const;

/** An empty value or a single dash removes a field. */
function copyFields(rule: FirewallRule, params: Record<string, string>): void {
  for (const name of RULE_FIELDS) {
    const value = params[name];
    if (value === undefined) continue;
    if (value === '' || value === '-') delete rule[name];
    else Object.assign(rule, { [name]: name === 'enable' ? Number(value) : value });
  }
}

function deleteFields(rule: FirewallRule, list: string | undefined): void {
  for (const name of (list ?? '').split(/[,;\s]+/).filter((part) => part !== '')) {
    const field = RULE_FIELDS.find((known) => known === name);
    if (!field) throw parameterError({ delete: `no such property ('${name}')` });
    if (field === 'type' || field === 'action') {
      throw parameterError({ delete: `unable to delete required property '${name}'` });
    }
    delete rule[field];
  }
}

/** Moves an element: `target` is the place in the old numbering before which it is inserted. */
export function moveRule<T>(rules: readonly T[], from: number, target: number): T[] {
  const moved = rules[from] as T;
  const result: T[] = [];
  for (const [index, rule] of rules.entries()) {
    if (index === from) continue;
    if (index === target) result.push(moved);
    result.push(rule);
  }
  if (target >= rules.length) result.push(moved);
  return result;
}

const getRuleAt = (rules: FirewallRule[], position: number): FirewallRule => {
  const rule = rules[position];
  if (!rule) throw new PveError(500, `no rule at position ${position}`);
  return rule;
};

function read(call: Call, list: RuleList): FirewallRule[] {
  list.scope.check?.(call, 'read');
  return list.of(readFirewall(call, list.scope), call);
}

function edit(call: Call, list: RuleList, change: (rules: FirewallRule[], file: FirewallFile) => void): Promise<null> {
  list.scope.check?.(call, 'write');
  return editFirewall(call, list.scope, (file) => change(list.of(file, call), file));
}

function createRule(call: Call, list: RuleList): Promise<null> {
  return edit(call, list, (rules, file) => {
    const rule: FirewallRule = { type: '', action: '' };
    copyFields(rule, call.params);
    checkRule(rule, list.ruleScope, referencesFor(call, list.scope, file), true);
    rule.enable ??= 0;
    rules.unshift(rule); // always on top: pos and digest are accepted and not looked at
  });
}

function updateRule(call: Call, list: RuleList): Promise<null> {
  return edit(call, list, (rules, file) => {
    assertUnmodified(computeListDigest(rules), call.params.digest);
    const position = numberParam(call, 'pos');
    const rule = getRuleAt(rules, position);
    const { moveto } = call.params;
    if (moveto !== undefined && Number(moveto) !== position) {
      rules.splice(0, rules.length, ...moveRule(rules, position, Number(moveto)));
      return;
    }
    copyFields(rule, call.params);
    deleteFields(rule, call.params.delete);
    checkRule(rule, list.ruleScope, referencesFor(call, list.scope, file), true);
  });
}

function deleteRule(call: Call, list: RuleList): Promise<null> {
  if (list.missingFileError !== undefined && !call.cluster.files.has(list.scope.path(call))) {
    throw new PveError(500, list.missingFileError);
  }
  return edit(call, list, (rules) => {
    assertUnmodified(computeListDigest(rules), call.params.digest);
    const position = numberParam(call, 'pos');
    getRuleAt(rules, position);
    rules.splice(position, 1);
  });
}

/** The five calls about a list of rules. */
export function buildRuleRoutes(list: RuleList): Route[] {
  const { scope, pattern, pathParams } = list;
  const proxied = scope.rulesProxied;
  const one = `${pattern}/{pos}`;
  const position = { ...pathParams, pos: common.position };
  const reading = { permission: scope.read, proxied, handledBy: 'pveproxy' } as const;
  const writing = { permission: scope.write, proxied, handledBy: 'pvedaemon', meter: 'firewall-write' } as const;
  return [
    {
      ...reading,
      method: 'GET',
      pattern,
      params: pathParams,
      handle: (call) => withDigest(read(call, list)).map((rule, pos) => ({ ...rule, pos })),
    },
    {
      ...reading,
      method: 'GET',
      pattern: one,
      params: position,
      handle: (call) => {
        const rules = read(call, list);
        const pos = numberParam(call, 'pos');
        return { ...getRuleAt(rules, pos), digest: computeListDigest(rules), pos };
      },
    },
    {
      ...writing,
      method: 'POST',
      pattern,
      params: { ...FIELDS, ...pathParams, type: TYPE, action: ACTION },
      handle: (call) => createRule(call, list),
    },
    {
      ...writing,
      method: 'PUT',
      pattern: one,
      params: {
        ...FIELDS,
        ...position,
        type: { ...TYPE, optional: true },
        action: { ...ACTION, optional: true },
        moveto: { type: 'integer', optional: true, minimum: 0 },
        delete: common.deleteList,
      },
      handle: (call) => updateRule(call, list),
    },
    {
      ...writing,
      method: 'DELETE',
      pattern: one,
      params: { ...position, digest: common.digest },
      handle: (call) => deleteRule(call, list),
    },
  ];
}
