import type { Policy } from '@/domain/policies';
import type { Translate } from '@/lib/i18n/translator';

type State = { enabled: boolean; definition: Pick<Policy['definition'], 'enforcement_mode'> };

/** Why a policy cannot be applied in its state, with the remedy; null when it can. The service decides by the same states. */
export function applyRefusal(t: Translate, { enabled, definition }: State): string | null {
  if (!enabled) return t('The policy is disabled. Enable it first.');
  if (definition.enforcement_mode === 'audit') {
    return t('The policy is in audit mode: it only watches. Switch it to enforced first.');
  }
  return null;
}
