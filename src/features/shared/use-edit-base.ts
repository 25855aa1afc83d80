'use client';
import { useState } from 'react';
import { failureOf } from '@/lib/problem';

type Versioned = { version: number };

/**
 * What an edit form was filled from, and the newer version when somebody else saved first.
 * @param opened the thing as it was when the form opened; later readings do not disturb what is typed
 * @param read reads it as it is stored now
 */
export function useEditBase<T extends Versioned>(opened: T, read: () => Promise<T>) {
  const [base, setBase] = useState(opened);
  const [conflict, setConflict] = useState<{ theirs: T | undefined } | null>(null);
  return {
    base,
    /** Set while the two versions stand side by side; `theirs` is undefined while it is read. */
    conflict,
    /** Give it every failed save; other failures are left to the form. */
    onError: (error: unknown) => {
      if (failureOf(error).code !== 'version_conflict') return;
      setConflict({ theirs: undefined });
      // Without an answer the form shows the refusal itself.
      read().then(
        (theirs) => setConflict({ theirs }),
        () => setConflict(null),
      );
    },
    /** From now on changes are made to this version. */
    rebase: (value: T) => {
      setBase(value);
      setConflict(null);
    },
  };
}
