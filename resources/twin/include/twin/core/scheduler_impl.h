// The baton scheduler. Part of twin/device.h.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "twin/core/scheduler.h"
#include "twin/core/watch.h"

namespace twin {

class Scheduler : public std::enable_shared_from_this<Scheduler> {
public:
    /// `body` runs one block; it must not throw.
    /// `schedule` other than 0 gives another order of the blocks, of those that begin and of those that go
    /// on.
    Scheduler(int blocks, std::function<void(int)> body, std::atomic<bool>& stop, uint32_t schedule)
        : slots_(static_cast<size_t>(blocks)),
          order_(slots_.size()),
          body_(std::move(body)),
          stop_(stop),
          chance_(schedule),
          is_usual_(schedule == 0) {
        std::iota(order_.begin(), order_.end(), size_t(0));
        if (schedule == 1) {  // so that nobody finds what a block before it left by chance
            std::reverse(order_.begin(), order_.end());
        } else if (!is_usual_) {
            std::shuffle(order_.begin(), order_.end(), chance_);
        }
    }

    /// Runs all blocks. Returns false when the launch took too long and a block does not react to the stop
    /// flag: its thread is then abandoned.
    bool run(Watch& watch, const std::function<void(Watch::Sight)>& on_too_long) {
        std::unique_lock<std::mutex> lock(mutex_);
        const auto all_finished = [&] { return finished_ == slots_.size(); };
        calls_open.store(1);  // until a kernel begins, all work is the twin's
        start_worker();
        Watch::Sight sight = Watch::Sight::goes_on;
        auto look = watch.next();
        const Watch::Seconds period(50e-3);
        while (!changed_.wait_for(lock, period, all_finished)) {
            if (std::chrono::steady_clock::now() < look) continue;
            sight = watch.look();
            if (sight != Watch::Sight::goes_on) break;
            look = watch.next();
        }
        if (sight == Watch::Sight::goes_on) {
            join(lock);
            return true;
        }
        on_too_long(sight);
        stop_.store(true);
        constexpr auto kGrace = std::chrono::milliseconds(300);
        if (changed_.wait_for(lock, kGrace, all_finished)) {
            join(lock);
            return true;
        }
        for (std::thread& worker : workers_) worker.detach();
        return false;
    }

    /// Called by the block that holds the baton. See wait_until().
    void block_until(int block, const Wait& wait) {
        std::unique_lock<std::mutex> lock(mutex_);
        Slot& slot = slots_[static_cast<size_t>(block)];
        slot.state = State::waiting;
        slot.wait = &wait;
        slot.granted = false;
        pass_baton();
        slot.turn.wait(lock, [&] { return slot.granted; });
        slot.state = State::running;
        slot.wait = nullptr;
        current_ = block;
        const bool ends = slot.deadlocked || stop_.load();
        lock.unlock();
        if (ends) stop_core();
    }

    int current() const { return current_; }
    bool finished(int block) const { return slots_[static_cast<size_t>(block)].state == State::done; }
    int blocks() const { return static_cast<int>(slots_.size()); }

private:
    enum class State { fresh, running, waiting, done };

    struct Slot {
        State state = State::fresh;
        const Wait* wait = nullptr;
        bool granted = false;
        bool deadlocked = false;
        std::condition_variable turn;
    };

    void start_worker() {
        workers_.emplace_back([self = shared_from_this()] { self->work(); });
    }

    /// A worker takes fresh blocks until there are none, or until a waiting block is due.
    void work() {
        std::unique_lock<std::mutex> lock(mutex_);
        while (next_fresh_ < slots_.size()) {
            const size_t block = order_[next_fresh_++];
            slots_[block].state = State::running;
            current_ = static_cast<int>(block);
            lock.unlock();
            body_(static_cast<int>(block));
            lock.lock();
            slots_[block].state = State::done;
            ++finished_;
        }
        if (finished_ == slots_.size()) {
            changed_.notify_all();
        } else {
            pass_baton();
        }
    }

    /// Gives the baton to somebody else. The lock is held.
    void pass_baton() {
        if (next_fresh_ < slots_.size() && !stop_.load()) {
            start_worker();
            return;
        }
        Slot* next = next_waiting();
        if (next == nullptr) next = break_deadlock();
        if (next == nullptr) return;
        next->granted = true;
        next->turn.notify_all();
    }

    Slot* next_waiting() {
        const size_t count = slots_.size();
        if (!is_usual_) {
            std::vector<size_t> ready;
            for (size_t block = 0; block < count; ++block) {
                const Slot& slot = slots_[block];
                if (slot.state == State::waiting && !slot.granted && (stop_.load() || slot.wait->ready()))
                    ready.push_back(block);
            }
            return ready.empty() ? nullptr : &slots_[ready[chance_() % ready.size()]];
        }
        for (size_t step = 1; step <= count; ++step) {
            Slot& slot = slots_[(static_cast<size_t>(current_) + step) % count];
            if (slot.state == State::waiting && !slot.granted && (stop_.load() || slot.wait->ready()))
                return &slot;
        }
        return nullptr;
    }

    /// Nobody can go on: explain it for every waiting block and let the first one unwind (the others follow).
    Slot* break_deadlock() {
        Slot* first = nullptr;
        for (size_t block = 0; block < slots_.size(); ++block) {
            Slot& slot = slots_[block];
            if (slot.state != State::waiting || slot.granted) continue;
            if (!slot.deadlocked) on_deadlock(static_cast<int>(block), *slot.wait);
            slot.deadlocked = true;
            if (first == nullptr) first = &slot;
        }
        return first;
    }

    void join(std::unique_lock<std::mutex>& lock) {
        lock.unlock();
        for (size_t index = 0; index < workers_.size(); ++index) workers_[index].join();
    }

public:
    /// Reports one deadlocked block.
    std::function<void(int, const Wait&)> on_deadlock;

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Slot> slots_;
    std::vector<size_t> order_;  // in which blocks begin
    std::vector<std::thread> workers_;
    std::function<void(int)> body_;
    std::atomic<bool>& stop_;
    std::mt19937 chance_;
    bool is_usual_;
    size_t next_fresh_ = 0;
    size_t finished_ = 0;
    int current_ = 0;
};

void wait_until(const Wait& wait) {
    Core& here = core();
    enter(wait.call, wait.site);
    if (wait.ready()) return;
    const CallsAside others(1);
    here.launch.scheduler->block_until(here.slot, wait);
    close_global_pages();
}

void yield_core() {
    Core& here = core();
    const Wait turn{[] { return true; }, [] { return std::string("yields"); }, "yield", Site{}};
    const CallsAside others(1);
    here.launch.scheduler->block_until(here.slot, turn);
    close_global_pages();
}

}  // namespace twin
