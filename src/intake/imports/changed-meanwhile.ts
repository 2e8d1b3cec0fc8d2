/**
 * The rows that a batch depends on have changed before it was stored. It was rolled back; its lines must be
 * judged again.
 */
export class ChangedMeanwhile extends Error {}

/** A plate was erased after the batch was read. */
export class ErasedMeanwhile extends ChangedMeanwhile {}

/** Other imports have used up the day's changes, so that the batch no longer fits. */
export class NoRoomMeanwhile extends ChangedMeanwhile {}

/** With the batch, a plate may have too many rows: they must be counted. */
export class NearBound extends ChangedMeanwhile {}

/** Plates of the batch have too many rows: it is judged again without the lines that are too many. */
export class CrowdedPlates extends ChangedMeanwhile {}
