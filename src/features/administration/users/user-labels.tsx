import type { Assignment, User } from '@/domain/user';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';

type Factor = Pick<User, 'second_factor_at' | 'second_factor_required'>;

type FactorState = 'set_up' | 'asked_for' | 'none';

/** One message: other things that are set up or asked for are other words elsewhere. */
export const factorStateText = (t: Translate, state: FactorState): string =>
  t('{state, select, set_up {Set up} asked_for {Required} other {None}}', { state });

/** Whether signing in takes a code, in a word or two. */
export function secondFactorText(t: Translate, { second_factor_at, second_factor_required }: Factor): string {
  const state = second_factor_at !== null ? 'set_up' : second_factor_required ? 'asked_for' : 'none';
  return factorStateText(t, state);
}

/** As a badge: a second factor that is asked for and not there yet stands out. */
export function SecondFactorBadge({ user }: { user: Factor }) {
  const t = useT();
  const tone = user.second_factor_at !== null ? 'ok' : user.second_factor_required ? 'warn' : 'off';
  return <Badge tone={tone}>{secondFactorText(t, user)}</Badge>;
}

/** Whether an account is open, in a word. One message: an active address is another word than an active user elsewhere. */
export const activeText = (t: Translate, active: boolean): string =>
  t('{active, select, true {Active} other {Deactivated}}', { active });

type Held = Pick<Assignment, 'role_title' | 'tenant_name' | 'project_name'>;

/** `Viewer`, `Viewer in Blue`, `Viewer in shop (Blue)`. */
export function roleInPlace(t: Translate, { role_title: role, tenant_name, project_name }: Held): string {
  if (!tenant_name) return role;
  return project_name
    ? t('{role} in {project} ({tenant})', { role, project: project_name, tenant: tenant_name })
    : t('{role} in {tenant}', { role, tenant: tenant_name });
}
