'use client';
import type { ReactNode } from 'react';
import { Button, type ButtonProps } from './button';
import { Tooltip } from './tooltip';

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
