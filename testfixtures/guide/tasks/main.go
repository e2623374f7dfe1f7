// Command tasks is the first server of docs/guide.md: three tools over one list.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"sync"

	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

type task struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
	Done  bool   `json:"done"`
}

// tasks is the list. Handlers run at the same time, so a lock guards it.
type tasks struct {
	mu   sync.Mutex
	list []task
}

func main() {
	all := &tasks{}
	s := mcp.NewServer("tasks", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{Name: "add_task", Description: "Adds a task to the list and returns it with its id."}, all.add)
	mcp.AddTool(s, mcp.Tool{Name: "list_tasks", Description: "Lists the tasks, oldest first."}, all.find)
	mcp.AddTool(s, mcp.Tool{Name: "finish_task", Description: "Marks a task as done."}, all.finish)
	if err := stdio.Serve(context.Background(), s, nil); err != nil {
		if !errors.Is(err, stdio.ErrPeerGone) { // else nobody is left to be told
			log.Print(err)
		}
		os.Exit(1)
	}
}

type addArguments struct {
	Title string `json:"title" mcp:"what is to be done, in one line" minLength:"1" maxLength:"200"`
}

func (t *tasks) add(ctx context.Context, c *mcp.Call, in addArguments) (task, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	added := task{ID: len(t.list) + 1, Title: in.Title}
	t.list = append(t.list, added)
	return added, nil
}

type findArguments struct {
	Open bool `json:"open,omitempty" mcp:"true: only tasks that are not done yet"`
}

type found struct {
	Tasks []task `json:"tasks"`
}

func (t *tasks) find(ctx context.Context, c *mcp.Call, in findArguments) (found, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out found
	for _, one := range t.list {
		if !in.Open || !one.Done {
			out.Tasks = append(out.Tasks, one)
		}
	}
	return out, nil
}

type finishArguments struct {
	ID int `json:"id" mcp:"the id of the task, as add_task and list_tasks give it" minimum:"1"`
}

func (t *tasks) finish(ctx context.Context, c *mcp.Call, in finishArguments) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if in.ID > len(t.list) {
		return "", fmt.Errorf("there is no task %d; list_tasks shows all of them", in.ID)
	}
	t.list[in.ID-1].Done = true
	return "done: " + t.list[in.ID-1].Title, nil
}
