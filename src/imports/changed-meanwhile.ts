/** What a batch was judged by changed before it was stored: its lines have to be judged again. Nothing of it was stored. */
export class ChangedMeanwhile extends Error {}

/** A plate was erased after the batch was read. */
export class ErasedMeanwhile extends ChangedMeanwhile {}

/** Others have stored so much of the day's changes that the batch has no room any more. */
export class NoRoomMeanwhile extends ChangedMeanwhile {}
