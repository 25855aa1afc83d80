/** Folders whose texts are still English whatever the language of the page is. It only ever gets shorter. */
export const NOT_YET: readonly string[] = [];
