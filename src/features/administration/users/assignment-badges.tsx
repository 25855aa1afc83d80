import type { Assignment } from '@/domain/user';
import { Badge } from '@/ui/badge';
import { Missing } from '@/ui/missing';

/** `Viewer in Blue`, and what became of it. */
export const assignmentText = ({ role_title, tenant_name, expired }: Assignment): string =>
  `${role_title}${tenant_name ? ` in ${tenant_name}` : ''}${expired ? ' (expired)' : ''}`;

/** The roles of a user in a row. */
export function AssignmentBadges({ assignments }: { assignments: readonly Assignment[] }) {
  if (assignments.length === 0) return <Missing label="No role" />;
  return (
    <span className="flex min-w-0 gap-1 overflow-hidden" title={assignments.map(assignmentText).join(', ')}>
      {assignments.map((one) => (
        <Badge key={one.id} tone={one.expired ? 'off' : 'neutral'}>
          {assignmentText(one)}
        </Badge>
      ))}
    </span>
  );
}
