/** What a colour says: of notices and badges. */
export type Tone = "neutral" | "accent" | "good" | "warn" | "bad"
