// What every page needs, without the words of all lists.

/** Sent after a gap in which events may have been lost: read everything again. */
export const RESYNC_EVENT = 'resync';

/** Unread notices are counted up to this number. */
export const MOST_UNREAD = 100;

/** The most things that can be read again by their ids. */
export const MAX_RECENT = 20;
