import type { Translate } from './translator';

type Labelled = { label: string; description?: string };

/** Choices whose labels and descriptions are marked with `msg`, said in the language of the page. */
export function optionsIn<O extends Labelled>(
  t: Translate,
  options: readonly O[],
): (Omit<O, keyof Labelled> & Labelled)[] {
  return options.map(({ label, description, ...option }) => ({
    ...option,
    label: t(label),
    ...(description !== undefined && { description: t(description) }),
  }));
}
