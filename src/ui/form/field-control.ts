'use client';
import { createContext, use } from 'react';

/** What a field of a form gives to the control in it: what names and describes it, and its state. */
export type FieldControl = {
  id?: string;
  'aria-labelledby'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
  'data-invalid'?: '';
  disabled?: boolean;
};

export const FieldControlContext = createContext<FieldControl>({});

/** The attributes of a control in a field; none outside of one. */
export const useFieldControl = () => use(FieldControlContext);

type Words = { id: string; label?: boolean; description: unknown; error: string | undefined; disabled?: boolean };

/** The attributes by the words around the control, which have its id with an ending. */
export const fieldControl = ({ id, label, description, error, disabled }: Words): FieldControl => {
  const words = [description ? `${id}-about` : '', error === undefined ? '' : `${id}-error`].filter(Boolean).join(' ');
  return {
    id,
    ...(label && { 'aria-labelledby': `${id}-label` }),
    ...(words && { 'aria-describedby': words }),
    ...(error !== undefined && { 'aria-invalid': true, 'data-invalid': '' }),
    ...(disabled && { disabled }),
  };
};
