import type { ReactNode } from 'react';

type Props = {
  icon?: ReactNode;
  /** What is missing, as a statement: "No clusters yet". */
  title: string;
  /** Why, and what happens after the next step. */
  children?: ReactNode;
  /** The next step: a button or a link. */
  action?: ReactNode;
};

/** In place of a list without entries: says why it is empty and names the next step. */
export function EmptyState({ icon, title, children, action }: Props) {
  return (
    <div data-empty-state="" className="mx-auto flex max-w-md flex-col items-center gap-3 px-4 py-10 text-center">
      {icon && <div className="text-faint [&>svg]:size-6">{icon}</div>}
      <div className="flex flex-col gap-1">
        <p className="font-semibold">{title}</p>
        {children && <div className="text-pretty text-muted">{children}</div>}
      </div>
      {action && <div className="flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
