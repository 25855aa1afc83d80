import type { RULE_ACTIONS } from '@/domain/policy/choices';
import type { PolicyDraft } from '@/domain/policy-draft';
import type { Translate } from '@/lib/i18n/translator';

const MAX_NAME = 100;

/**
 * What a drafted policy does, in the language of the author: `Allow tcp/5432 from web to pg-01`. The service proposes the same in
 * English, for programs.
 * @param action that was asked for, which a draft without a rule does not have
 */
export function draftName(
  t: Translate,
  { source, target, rules: [rule] }: Pick<PolicyDraft, 'source' | 'target' | 'rules'>,
  action: (typeof RULE_ACTIONS)[number],
): string {
  const port = rule?.destination_ports[0];
  const service = rule && (port === undefined ? rule.protocol : `${rule.protocol}/${port}`);
  const [from, to] = [source.label, target.label];
  if (!service && !from) return to ? cut(t('Policy for {target}', { target: to })) : '';
  const what = { action, service: service ?? t('traffic') };
  if (from && to) {
    const text = t('{action, select, accept {Allow} drop {Drop} other {Reject}} {service} from {source} to {target}', {
      ...what,
      source: from,
      target: to,
    });
    return cut(text);
  }
  if (from) {
    return cut(
      t('{action, select, accept {Allow} drop {Drop} other {Reject}} {service} from {source}', {
        ...what,
        source: from,
      }),
    );
  }
  if (to) {
    return cut(
      t('{action, select, accept {Allow} drop {Drop} other {Reject}} {service} to {target}', { ...what, target: to }),
    );
  }
  return cut(t('{action, select, accept {Allow} drop {Drop} other {Reject}} {service}', what));
}

/** Names of objects come from clusters. */
const cut = (name: string) =>
  name
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .slice(0, MAX_NAME)
    .trim();
