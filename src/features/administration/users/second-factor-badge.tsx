import type { User } from '@/domain/user';
import { Badge } from '@/ui/badge';

type Factor = Pick<User, 'second_factor_at' | 'second_factor_required'>;

/** Whether signing in takes a code, in a word or two. */
export function secondFactorText({ second_factor_at, second_factor_required }: Factor): string {
  if (second_factor_at !== null) return 'Set up';
  return second_factor_required ? 'Asked for' : 'None';
}

/** As a badge: a second factor that is asked for and not there yet stands out. */
export function SecondFactorBadge({ user }: { user: Factor }) {
  const tone = user.second_factor_at !== null ? 'ok' : user.second_factor_required ? 'warn' : 'off';
  return <Badge tone={tone}>{secondFactorText(user)}</Badge>;
}
