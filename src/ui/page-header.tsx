import type { ReactNode } from 'react';
import { PageActionsSlot } from './page-actions';

type Props = {
  title: string;
  /** One line under the title: what the page is for, or the state of the thing it shows. */
  description?: ReactNode;
  /** Beside the title: a badge with the state. */
  badge?: ReactNode;
  /** Buttons, the primary one last. What a tab of the page offers follows by `PageAction`. */
  actions?: ReactNode;
};

/** The head of a page: its only `h1`, and what can be done here. */
export function PageHeader({ title, description, badge, actions }: Props) {
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <div className="flex min-h-8 flex-wrap items-center gap-2">
          <h1 className="min-w-0 text-lg [overflow-wrap:anywhere]">{title}</h1>
          {badge}
        </div>
        {description && <div className="text-pretty text-muted">{description}</div>}
      </div>
      <div className="flex flex-wrap gap-2">
        {actions}
        <PageActionsSlot />
      </div>
    </header>
  );
}
