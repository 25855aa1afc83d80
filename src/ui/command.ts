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
  /** At the end of the line: what it is, or where. */
  hint?: string;
  /** Found by the service for what was typed: shown whatever the words are. */
  found?: boolean;
  run: () => void;
};
