import type { Assignment } from '@/domain/user';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Missing } from '@/ui/values';
import { roleInPlace } from './user-labels';

/** `Viewer in Blue`, and what became of it. */
export function assignmentText(t: Translate, assignment: Assignment): string {
  const role = roleInPlace(t, assignment);
  return assignment.expired ? t('{role} (expired)', { role }) : role;
}

/** The roles of a user in a row. */
export function AssignmentBadges({ assignments }: { assignments: readonly Assignment[] }) {
  const t = useT();
  if (assignments.length === 0) return <Missing label={t('No role')} />;
  return (
    <span
      className="flex min-w-0 gap-1 overflow-hidden"
      title={assignments.map((one) => assignmentText(t, one)).join(', ')}
    >
      {assignments.map((one) => (
        <Badge key={one.id} tone={one.expired ? 'off' : 'neutral'}>
          {assignmentText(t, one)}
        </Badge>
      ))}
    </span>
  );
}
