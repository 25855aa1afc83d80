import type { ReactNode } from 'react';

/** Something the palette can do: go somewhere, or start an action of the page. */
export type Command = {
  id: string;
  /** In the imperative: "Add cluster"; or the name of a page. */
  label: string;
  /** Heading it stands under: "Go to", "Clusters". */
  group: string;
  /** Further words it is found by. */
  keywords?: readonly string[];
  icon?: ReactNode;
  run: () => void;
};
