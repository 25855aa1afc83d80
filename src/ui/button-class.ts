import clsx from 'clsx';

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger';
export type ButtonSize = 'md' | 'sm';

const VARIANTS: Record<ButtonVariant, string> = {
  primary:
    'border-text bg-text text-surface hover:not-data-disabled:border-text/85 hover:not-data-disabled:bg-text/85 active:not-data-disabled:bg-text/75',
  secondary:
    'border-line-strong bg-surface text-text hover:not-data-disabled:bg-surface-2 active:not-data-disabled:bg-surface-3',
  ghost:
    'border-transparent text-muted hover:not-data-disabled:bg-surface-3/70 hover:not-data-disabled:text-text active:not-data-disabled:bg-surface-3 data-popup-open:bg-surface-3 data-popup-open:text-text',
  danger:
    'border-danger bg-danger text-on-solid hover:not-data-disabled:border-danger/85 hover:not-data-disabled:bg-danger/85 active:not-data-disabled:bg-danger/75',
};

const SIZES: Record<ButtonSize, string> = {
  md: 'h-8 gap-2 px-3 text-base',
  sm: 'h-6 gap-1.5 px-2 text-sm',
};

/** The classes of a button, for links of a router that should look like one: `<Link className={buttonClass({…})}>`. */
export function buttonClass({
  variant = 'secondary',
  size = 'md',
  square = false,
  className,
}: {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** As wide as high, for a lone icon. */
  square?: boolean;
  className?: string;
} = {}): string {
  return clsx(
    'relative inline-flex shrink-0 select-none items-center justify-center rounded-md border font-medium whitespace-nowrap transition-colors duration-75',
    'data-disabled:not-data-pending:text-faint',
    variant !== 'ghost' && 'data-disabled:not-data-pending:border-line data-disabled:not-data-pending:bg-surface-2',
    VARIANTS[variant],
    SIZES[size],
    square && (size === 'md' ? 'w-8 !px-0' : 'w-6 !px-0'),
    className,
  );
}

/**
 * Where the content of a panel brings its own buttons, as a form does: they stay at the bottom edge, the main one at the end, like
 * those of a footer. Their container has `-mb-4`: the body of a panel has 1rem of padding, which counts for sticky boxes too.
 */
export const panelActions =
  'sticky -bottom-4 z-1 -mx-4 flex flex-wrap items-center justify-end gap-2 border-t bg-overlay px-4 py-3';
