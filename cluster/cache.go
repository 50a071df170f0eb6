package cluster

import (
	"sync"
	"time"
)

// cacheFor is how long an answer about the catalogue is good enough: long
// enough for the parts of one page, short enough that nobody sees the past.
const cacheFor = 5 * time.Second

// cacheEntries bounds the cache; searching as you type makes many small ones.
const cacheEntries = 64

// cache keeps answers briefly. The zero value is ready.
type cache struct {
	mu      sync.Mutex
	entries map[string]cached
}

type cached struct {
	value any
	until time.Time
}

// remember gives the cached value of key, or asks fill and keeps what it says.
func remember[T any](c *cache, key string, fill func() (T, error)) (T, error) {
	c.mu.Lock()
	e, hit := c.entries[key]
	c.mu.Unlock()
	if hit && time.Now().Before(e.until) {
		return e.value.(T), nil
	}
	value, err := fill()
	if err != nil {
		return value, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= cacheEntries || c.entries == nil {
		c.entries = map[string]cached{}
	}
	c.entries[key] = cached{value, time.Now().Add(cacheFor)}
	return value, nil
}

// Forget drops what is cached, so that the next page sees the cluster as it is.
func (c *Cluster) Forget() {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	c.cache.entries = nil
}
