'use client';
import { type ComponentPropsWithRef, type MouseEvent, type ReactNode, type SyntheticEvent, useId } from 'react';
import { type ButtonSize, type ButtonVariant, buttonClass } from './button-class';
import { Spinner } from './loading';
import { Tooltip } from './tooltip';

export type ButtonProps = Omit<ComponentPropsWithRef<'button'>, 'disabled'> & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: ReactNode;
  /** The action runs: the button keeps its width and focus and takes no press. */
  pending?: boolean;
  /** Why the action is not possible now, with the remedy. Disables the button; the text is reachable by pointer, key and tap. */
  disabledReason?: string | null | false;
  square?: boolean;
};

/** Keeps a disabled button focusable, and everything that would act on it away. */
const DISABLED = {
  'aria-disabled': true,
  'data-disabled': '',
  onClick: (event: SyntheticEvent) => event.preventDefault(),
  onMouseDown: undefined,
  onPointerDown: undefined,
  onKeyDown: undefined,
} as const;

/** A button that stays focusable while it is disabled and says why. */
export function Button({
  variant = 'secondary',
  size = 'md',
  icon,
  pending,
  disabledReason,
  square = false,
  className,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const reasonId = useId();
  const reason = disabledReason || null;
  /** An action that takes a while is done once for a double click: at its second half the page may not show yet that it runs. */
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (event.detail > 1) event.preventDefault();
    else rest.onClick?.(event);
  };
  const button = (
    <button
      {...rest}
      {...(pending !== undefined && { onClick: press })}
      type={type}
      {...((pending || reason !== null) && DISABLED)}
      aria-busy={pending || undefined}
      aria-describedby={reason ? reasonId : rest['aria-describedby']}
      data-pending={pending ? '' : undefined}
      className={buttonClass({ variant, size, square, className })}
    >
      {pending && (
        <span className="absolute inset-0 flex items-center justify-center">
          <Spinner size={size === 'md' ? 16 : 14} />
        </span>
      )}
      <span className={pending ? 'contents *:opacity-0' : 'contents'}>
        {icon && <span className="-mx-0.5 inline-flex shrink-0 items-center">{icon}</span>}
        {children != null && <span className="inline-flex items-center gap-1.5">{children}</span>}
      </span>
    </button>
  );
  if (!reason) return button;
  return (
    <>
      <Tooltip content={reason} openOnTap>
        {button}
      </Tooltip>
      <span id={reasonId} className="sr-only">
        {reason}
      </span>
    </>
  );
}

type Props = Omit<ButtonProps, 'children' | 'icon' | 'square' | 'aria-label'> & {
  /** What pressing it does; the accessible name and, unless the button is disabled with a reason, the tooltip. */
  label: string;
  icon: ReactNode;
};

/** A square button with an icon only. */
export function IconButton({ label, icon, variant = 'ghost', disabledReason, ...rest }: Props) {
  const button = (
    <Button {...rest} variant={variant} disabledReason={disabledReason} icon={icon} square aria-label={label} />
  );
  return disabledReason ? button : <Tooltip content={label}>{button}</Tooltip>;
}
